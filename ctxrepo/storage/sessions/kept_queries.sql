--- all
select name, agent, id, path, cwd, mtime, mark, finish, before, number, last, read, raw, floor,
    not exists(select 1 from message where session = number)
from session

--- session
insert into session(name, agent, id, path, cwd, mtime, mark, finish, before, last, read, raw, floor)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict(name) do update set
    agent = excluded.agent, id = excluded.id, path = excluded.path, cwd = excluded.cwd,
    mtime = excluded.mtime, mark = excluded.mark, finish = excluded.finish, before = excluded.before,
    last = max(last, excluded.last), read = excluded.read, raw = excluded.raw, floor = excluded.floor
returning number

--- replaced
select key, block from message where session = :session and key not in (select value from json_each(:keys))
and (case when name = '' then place >= :since and place < :until
    else name in (select value from json_each(:names)) end
    or key in (select value from json_each(:outgrown)))

--- places
select m.key, m.place from message m join session s on s.number = m.session
where s.name = ? order by m.place

--- keys
select m.key, m.name from message m join session s on s.number = m.session
where s.agent = ? and s.id = ? order by m.place

--- blocks
select distinct block from message where key in (select value from json_each(?))

--- earlier
update message set place = place - ? where session = ?

--- earlier_lines
update raw set place = place - ? where session = ?

--- old
select number from session where last < ? and exists(select 1 from message where session = number)

--- oldest
select number, last from session where exists(select 1 from message where session = number) order by last limit 1

--- size
select (select count(distinct session) from message), (select count(distinct key) from message)

--- message
insert or replace into message(session, key, place, name, block) values (?, ?, ?, ?, ?)

--- replaced_lines
delete from raw where session = :session and place >= :since and place < :until
