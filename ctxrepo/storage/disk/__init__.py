"""Files and folders: written so that they last, read so that nothing hangs or leads astray."""
