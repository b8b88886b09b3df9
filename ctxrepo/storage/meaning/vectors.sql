create table vector(model text, text blob, data blob, primary key (model, text)) without rowid
