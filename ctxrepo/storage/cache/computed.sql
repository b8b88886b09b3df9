--- stamp_of_part
select stamp from part where name = ? and about = ?

--- stamp_of_scope
select count(*), max(generation), total(id) from note where scope = ?

--- all_doubts
select d.entry, d.path, d.kind, d.subject, d.words, d.since, d.by, d.sure
from doubt d join entry e on e.id = d.entry and e.hash = d.hash
where not e.struck order by d.path, e.first_line, d.kind, d.subject

--- put_doubt
insert or replace into doubt values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

--- doubts_of_any_text
select entry, path, kind, subject, words, since, by, sure, hash from doubt

--- concerned
select rowid, id, hash, struck, pinned, doubt, rival from entry
where doubt != '' or id in (select entry from doubt)

--- entries_to_score
select e.id, n.scope, n.path, e.text, e.category, e.pinned > 0, n.day, e.doubt != ''
from entry e join note n on n.id = e.note where n.listed and n.working = 0 and e.struck != 1
