"""What ctxrepo costs beside others doing the same: everything that is compared takes turns in one run."""
