create table settings(key text primary key, value text not null) without rowid;
create table repository(id text primary key, home text not null, position integer not null);
create table checkout(
    top text primary key, config text not null, stamp text not null, project text not null,
    folder text not null, own text not null, claim text not null,
    born text not null, former text not null, offer text not null
);
create view given as
    select top, config, stamp, claim, offer, is_held, case when is_held then '' else project end as project,
        case when is_held then '' else folder end as folder
    from (select *, claim != '' and (select value from settings where key = 'trust') is 'ask' as is_held
        from checkout)
