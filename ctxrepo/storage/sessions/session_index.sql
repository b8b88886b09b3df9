create table session(
    number integer primary key, name text not null unique, agent text not null, id text not null,
    path text not null, cwd text not null, mtime integer not null, state text not null,
    place integer not null, before blob not null
);
create table message(
    number integer primary key autoincrement, session integer not null, key integer not null,
    traits integer not null, at integer not null, place integer not null, name text not null,
    length integer not null, turn integer not null
);
create index message_place on message(session, place);
create unique index message_key on message(key);
create table copy(
    session integer not null, message integer not null, primary key(session, message)
) without rowid;
create table path(number integer primary key, path text not null unique);
create table touched(
    path integer not null, message integer not null, primary key(path, message)
) without rowid;
create virtual table words using fts5(said, given, content = '', tokenize = :tokenizer)
