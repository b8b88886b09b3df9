--- unindex
delete from words where rowid in (
    select id from note where id = ?1 and listed union all
    select rowid from entry where rowid between ?1 and ?2 and found
)

--- recount
update scope set entries = (
    select count(*) from entry where rowid between scope.id * ?1 and (scope.id + 1) * ?1 - 1 and found
), notes = (
    select count(*) from note where id between scope.id * ?1 and (scope.id + 1) * ?1 - 1 and listed
) where id in (select value from json_each(?2))

--- touch_note
update note set generation = ?,
    pinned = exists (select 1 from entry where note = note.id and pinned and not struck)
where id = (select note from entry where rowid = ?)

--- marked
select e.rowid, n.listed, n.working, e.id, n.path, e.heading, e.text, e.first_line, e.last_line,
    e.pinned, e.struck, e.hash, e.doubt
from entry e join note n on n.id = e.note
where e.pinned or e.struck or e.id in (select value from json_each(?))
