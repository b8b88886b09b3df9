create table session(
    number integer primary key, name text not null unique, agent text not null, id text not null,
    path text not null, cwd text not null, mtime integer not null, mark text not null,
    last integer not null, read integer not null, finish integer not null, before blob not null, raw integer not null,
    floor integer not null
);
create table message(
    session integer not null, key integer not null, place integer not null, name text not null,
    block integer not null, primary key(session, key)
) without rowid;
create index message_key on message(key);
create index message_block on message(block);
create table block(number integer primary key, session integer not null, data blob not null);
create index block_session on block(session);
create table raw(number integer primary key, session integer not null, place integer not null, data blob not null);
create index raw_place on raw(session, place);
create table forgotten(agent text not null, id text not null, primary key(agent, id)) without rowid
