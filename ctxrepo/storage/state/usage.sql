create table entry(
    id text primary key, path text not null, first real not null, last real not null,
    delivered integer not null default 0, sessions integer not null default 0,
    opened integer not null default 0, used integer not null default 0,
    contradicted integer not null default 0
) without rowid;
create index entry_last on entry(last);
create table pair(
    session text not null, entry text not null, at real not null, delivered integer not null default 0,
    opened integer not null default 0, used integer not null default 0,
    contradicted integer not null default 0, primary key(session, entry)
) without rowid;
create index pair_at on pair(at);
create table read_to(log text primary key, at real not null, line text not null) without rowid
