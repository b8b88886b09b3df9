create table meta(key text primary key, value text not null) without rowid;
create table scope(
    id integer primary key, name text not null unique, entries integer not null, notes integer not null
);
create table note(
    id integer primary key, path text not null unique, scope text not null, description text not null,
    tags text not null, updated text not null, pinned integer not null, core integer not null,
    listed integer not null, generation integer not null, body text not null,
    body_line integer not null, problem text not null, hash text not null, context text not null,
    day text not null, is_log integer not null, entries integer not null, working integer not null,
    rules integer not null
);
create index note_order on note(scope, listed, working, pinned desc, core desc, updated desc, path);
create index note_rules on note(scope, rules desc, updated desc, path);
create index note_generation on note(generation);
create index note_problem on note(problem) where problem != '';
create table entry(
    rowid integer primary key, note integer not null, id text not null, heading text not null,
    text text not null, first_line integer not null, last_line integer not null,
    pinned integer not null, struck integer not null, hash text not null, found integer not null,
    spelled text not null, category text not null, doubt text not null default '',
    rival text not null default ''
);
create index entry_marked on entry(pinned, struck) where pinned or struck;
create index entry_category on entry(category) where category != '';
create index entry_doubt on entry(doubt) where doubt != '';
create view document(id, text) as
    select id, context from note where listed
    union all
    select rowid, heading || ' ' || text || ' ' || spelled from entry where found;
create table mention(name text not null, entry integer not null, primary key(name, entry)) without rowid;
create table handoff(scope text primary key, name text not null, ts text not null, text text not null);
create table recent(
    project text not null, owner text not null, position integer not null, top text not null,
    path text not null, rank integer not null, why text not null, primary key(project, owner, position)
) without rowid;
create table score(
    entry text primary key, position integer not null, lifecycle text not null, score real not null,
    day integer not null, until integer not null
) without rowid;
create table changed_file(
    top text not null, path text not null, changes integer not null, day integer not null,
    primary key(top, path)
) without rowid;
create index score_order on score(position);
create table seen(
    scope text not null, path text not null, stamp text not null, primary key(scope, path)
);
create table evidence_file(
    id integer primary key, path text not null unique, key text not null, size integer not null,
    continues integer not null
);
create table record(
    file integer not null, line integer not null, kind text not null, entry text not null,
    target text not null, key text not null, data text not null, primary key(file, line)
) without rowid;
create index record_entry on record(entry);
create index record_target on record(target) where target != '';
create index record_kind on record(kind) where kind in ('renamed', 'superseded');
create index record_key on record(key) where key != '';
create table evidence(
    entry text primary key, stated text not null, worded text not null, cue text not null,
    reinforced integer not null, last text not null, verified text not null, verified_code text not null,
    contradicted integer not null, contradicted_at text not null, code text not null, rule text not null,
    cites text not null, holds text not null, agent text not null, session text not null,
    host text not null, source text not null, derived text not null, pinned integer not null,
    pinned_at text not null, struck integer not null
) without rowid;
create index evidence_marked on evidence(pinned, struck) where pinned or struck;
create table doubt(
    entry text not null, path text not null, kind text not null, subject text not null, words text not null,
    since text not null, by text not null, sure integer not null, hash text not null, scope text not null,
    source text not null,
    primary key(entry, kind, subject)
) without rowid;
create table part(
    name text not null, about text not null, stamp text not null, primary key(name, about)
) without rowid;
create table fault(hash text primary key, kind text not null, text text not null);
create virtual table words using fts5(
    text, content = document, content_rowid = id, columnsize = 0, detail = none, tokenize = :tokenizer
)
