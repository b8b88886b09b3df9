"""Whether everything works: `status` and `doctor`."""
