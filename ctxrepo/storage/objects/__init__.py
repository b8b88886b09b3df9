"""The object store of the clone: refs, trees, blobs and commits, built in memory. The only owner of pygit2.

It never touches index or worktree: libgit2 reads a sparse checkout as deletions. What the keys of files are
stands in `trees`."""
