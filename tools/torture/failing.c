/* Lets one call in a number fail, for files below one folder. Preloaded; see failing.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Shared by every process of a run: what fails, how many calls there were, the error, and whether all after
   it fail too. */
struct plan { int fail, count, error, sticky; char root[4000]; };

static struct plan *plan(void) {
    static struct plan *shared;
    const char *file = getenv("FAILING_PLAN");
    if (!shared && file) {
        int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
        int fd = real(file, O_RDWR | O_CLOEXEC);
        if (fd >= 0) {
            void *at = mmap(0, sizeof(struct plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            if (at != MAP_FAILED) shared = at;
            close(fd);
        }
    }
    return shared;
}

static int fails(const char *path) {
    struct plan *p = plan();
    if (!p || strncmp(path, p->root, strlen(p->root))) return 0;
    int n = __atomic_add_fetch(&p->count, 1, __ATOMIC_SEQ_CST);
    if (n != p->fail && !(p->sticky && n > p->fail)) return 0;
    errno = p->error;
    return 1;
}

static int fails_fd(int fd) {
    char link[64], path[PATH_MAX];
    struct plan *p = plan();
    if (!p || !p->fail) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return fails(path);
}

static int fails_at(int dir, const char *name) {
    char link[64], path[2 * PATH_MAX];
    struct plan *p = plan();
    if (!p || !p->fail || !name) return 0;
    if (name[0] == '/') return fails(name);
    if (dir == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    if (n < 0) return 0;
    snprintf(path + n, sizeof path - n, "/%s", name);
    return fails(path);
}

#define REAL(ret, name, ...) static ret (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, #name)

#define WRITES(name, type) \
    ssize_t name(int fd, const void *data, size_t size, type at) { \
        REAL(ssize_t, name, int, const void *, size_t, type); \
        return fails_fd(fd) ? -1 : real(fd, data, size, at); }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    return fails_fd(fd) ? -1 : real(fd, data, size);
}

#define SYNCS(name) int name(int fd) { REAL(int, name, int); return fails_fd(fd) ? -1 : real(fd); }
SYNCS(fsync)
SYNCS(fdatasync)

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, name, const char *, int, ...); \
        va_list rest; va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; va_end(rest); \
        return fails_at(AT_FDCWD, path) ? -1 : real(path, flags, mode); }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name) \
    int name(int dir, const char *path, int flags, ...) { \
        REAL(int, name, int, const char *, int, ...); \
        va_list rest; va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; va_end(rest); \
        return fails_at(dir, path) ? -1 : real(dir, path, flags, mode); }
OPENS_AT(openat)
OPENS_AT(openat64)

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    return fails_at(AT_FDCWD, to) ? -1 : real(from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to) {
    REAL(int, renameat, int, const char *, int, const char *);
    return fails_at(to_dir, to) ? -1 : real(from_dir, from, to_dir, to);
}

int link(const char *from, const char *to) {
    REAL(int, link, const char *, const char *);
    return fails_at(AT_FDCWD, to) ? -1 : real(from, to);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    return fails_at(AT_FDCWD, path) ? -1 : real(path, mode);
}

int mkdirat(int dir, const char *path, mode_t mode) {
    REAL(int, mkdirat, int, const char *, mode_t);
    return fails_at(dir, path) ? -1 : real(dir, path, mode);
}
