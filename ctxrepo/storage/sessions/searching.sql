--- session
insert into session(name, agent, id, path, cwd, mtime, state, place, before)
values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict(name) do update set
    agent = excluded.agent, id = excluded.id, path = excluded.path, cwd = excluded.cwd,
    mtime = excluded.mtime, state = excluded.state, place = excluded.place, before = excluded.before
returning number

--- all
select name, agent, id, path, cwd, mtime, state, place, before, number from session

--- message
insert or ignore into message(session, key, traits, at, place, name, length, turn)
values (?, ?, ?, ?, ?, ?, ?, ?)

--- wasted
select coalesce((select seq from sqlite_sequence where name = 'message'), 0) - count(*), count(*)
from message

--- rows
select m.number, m.session, m.key, m.traits, m.at, m.place, m.name, m.length, m.turn from {source}

--- postings
select m.session, m.turn, m.number, m.traits, m.length, m.at from {source}

--- in
and (
    m.session in (select value from json_each(:sessions)) or m.number in (
        select message from copy where session in (select value from json_each(:sessions))
    )
)

--- touched_file
and m.number in (
    select message from touched join path on path.number = touched.path
    where path.path = :file or substr(path.path, -length(:file) - 1) = '/' || :file
)

--- silent
select name, agent, id, path, cwd, mtime, state, place, before, number from session
where state <> '' and number not in (select session from message)
and number not in (select session from copy) order by mtime desc

--- not_kept
delete from message where session = :number and key not in (select value from json_each(:kept))

--- gone
update session set state = :gone where number = :number

--- missing
select value from json_each(?) where value not in (select key from message)
