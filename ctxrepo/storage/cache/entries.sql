--- by_words
select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash, e.doubt,
    n.tags, {own}
from entry e join note n on n.id = e.note
where {every} and ({own}) > 0 and e.found
order by {own} desc, length(e.text), n.path, e.first_line

--- by_letters
-- At least one word must be in the entry itself: else only its note matches. Most entries end at this question,
-- the cheaper one, for `fold` is Python's.
select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash, e.doubt, n.tags, 0.0
from entry e join note n on n.id = e.note
where exists (
    select 1 from json_each(?1) word where instr(fold(e.text || ' ' || e.heading), word.value) > 0
) and not exists (
    select 1 from json_each(?1) word where instr(fold(
        e.text || ' ' || e.heading || ' ' || n.description || ' ' || n.tags || ' ' || n.path
    ), word.value) = 0
)
order by n.path, e.first_line

--- these
select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash, e.doubt, n.tags, 0.0
from json_each(?) one join entry e on e.rowid = one.value join note n on n.id = e.note
order by n.path, e.first_line

--- numbered
select e.rowid, e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash, e.doubt,
    n.tags, 0.0
from json_each(?) one join entry e on e.rowid = one.value join note n on n.id = e.note

--- items
select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash, e.doubt,
    n.tags, n.updated
from note n join entry e on e.rowid between n.id and n.id + ?2
where n.path in (select value || '/SCRATCHPAD.md' from json_each(?1))
and n.listed and not e.struck and not e.found order by n.path, e.first_line

--- notes_with_words
select path, scope, description, tags, updated, pinned, core, listed, generation, problem
from note n where not exists (
    select 1 from json_each(?1) word
    where instr(fold(n.context || ' ' || n.path), word.value) = 0
) order by path

--- notes
select path, scope, description, tags, updated, pinned, core, listed, generation, problem
from note where scope = ? order by path

--- counted
select id, path, scope, description, tags, updated, pinned, core, listed, generation, problem
from note where scope = ?

--- entries
select e.id, n.path, e.heading, e.text, e.first_line, e.last_line, e.pinned, e.struck, e.hash, e.doubt
from entry e join note n on n.id = e.note where
