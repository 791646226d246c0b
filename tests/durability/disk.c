/* A shim that is preloaded (Linux): it keeps, in order, what a process does to the files of one
 * folder, and what it answers; from that disk.py makes the files as a power cut would leave them.
 *
 *     trente_watch(folder, trace, told, sync)  from now on; told is a file descriptor, or -1; a sync
 *                                              takes so many microseconds, and does no more
 *     trente_kill(kind, count, signal)         the signal after so many operations of a kind, 0: any
 *     trente_full(count, failures, part)       after so many more writes the disk is full, for so many
 *                                              writes; with ``part`` half of the first one is written
 *     trente_clock(seconds)                    the clock of the day is ahead, or behind, by so much
 *
 * A write is kept once it was done. A sync is kept as it begins and as it ends: what another thread
 * writes in between may still be lost. Nothing waits for the true disk: the process is never cut off.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { ANY, CREATE, TRUNCATE, WRITE, BEGIN, END, UNLINK, RENAME, TOLD, SEND };

struct head { uint32_t kind, length; uint64_t file; int64_t at; };

static int trace = -1, told = -1;
static unsigned sync_takes;
static char folder[PATH_MAX];
static size_t length;
static uint32_t doomed_kind;
static long doomed = -1;
static int doom;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

int trente_watch(const char *where, const char *kept, int answers, unsigned takes)
{
    if (!realpath(where, folder)) return -1;
    length = strlen(folder);
    told = answers;
    sync_takes = takes;
    trace = syscall(SYS_openat, AT_FDCWD, kept, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    return trace;
}

void trente_kill(unsigned kind, long count, int signal)
{
    doomed_kind = kind;
    doomed = count;
    doom = signal;
}

/* Writes that are left before the disk is full, -1: it is not; and those that fail then. */
static long room = -1, failures;
static int partly;
static long long ahead;

void trente_full(long count, long fails, int part)
{
    room = count;
    failures = fails;
    partly = part;
}

void trente_clock(long long seconds) { ahead = seconds; }

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int done = syscall(SYS_clock_gettime, clock, now);
    if (!done && clock == CLOCK_REALTIME) now->tv_sec += ahead;
    return done;
}

int gettimeofday(struct timeval *now, void *zone)
{
    int done = syscall(SYS_gettimeofday, now, zone);
    if (!done) now->tv_sec += ahead;
    return done;
}

time_t time(time_t *now)
{
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}

/* Whether a write fails now; ``*part`` is 1 where half of it is done first. */
static int is_full(int *part)
{
    if (room < 0) return 0;
    if (room > 0) {
        room--;
        return 0;
    }
    if (failures <= 0) {
        room = -1;
        return 0;
    }
    failures--;
    *part = partly;
    partly = 0;
    return 1;
}

static int no_room(void)
{
    errno = ENOSPC;
    return -1;
}

static void counted(uint32_t kind)
{
    if (doomed > 0 && doomed_kind == kind && --doomed == 0)
        kill(getpid(), doom);
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
    ssize_t done = syscall(SYS_sendto, fd, data, size, flags, NULL, 0);
    counted(SEND);
    return done;
}

static void keep(uint32_t kind, uint64_t file, int64_t at, const void *data, uint32_t size)
{
    struct head head = {kind, size, file, at};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)data, size}};
    if (syscall(SYS_writev, trace, parts, 2) != (long)(sizeof head + size)) abort();
    if (doomed > 0 && (!doomed_kind || doomed_kind == kind) && --doomed == 0)
        kill(getpid(), doom);
}

/* Whether a path is in the folder, or is it. */
static int inside(const char *path)
{
    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

static int whole(int dir, const char *name, char *path)
{
    if (name[0] == '/') return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    char before[PATH_MAX], link[64];
    snprintf(link, sizeof link, dir == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dir);
    ssize_t got = readlink(link, before, sizeof before - 1);
    if (got < 0) return 0;
    before[got] = 0;
    return snprintf(path, PATH_MAX, "%s/%s", before, name) < PATH_MAX;
}

static int watched(int dir, const char *name, char *path)
{
    return trace >= 0 && whole(dir, name, path) && inside(path);
}

static int watched_file(int fd, struct stat *about)
{
    char path[PATH_MAX];
    if (trace < 0 || fd == trace || syscall(SYS_fstat, fd, about)) return 0;
    if (!S_ISREG(about->st_mode) && !S_ISDIR(about->st_mode)) return 0;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t got = readlink(link, path, sizeof path - 1);
    if (got < 0) return 0;
    path[got] = 0;
    return inside(path);
}

static int opened(int dir, const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    if (!(flags & (O_CREAT | O_TRUNC)) || !watched(dir, name, path))
        return syscall(SYS_openat, dir, name, flags, mode);
    pthread_mutex_lock(&order);
    struct stat about;
    int there = !stat(path, &about), part = 0;
    if (!there && is_full(&part)) {
        pthread_mutex_unlock(&order);
        return no_room();
    }
    int fd = syscall(SYS_openat, dir, name, flags, mode);
    if (fd >= 0 && !there && !fstat(fd, &about))
        keep(CREATE, about.st_ino, 0, path, strlen(path));
    else if (fd >= 0 && (flags & O_TRUNC) && S_ISREG(about.st_mode))
        keep(TRUNCATE, about.st_ino, 0, "", 0);
    pthread_mutex_unlock(&order);
    return fd;
}

#define OPENS(name, dir, args)                                                                     \
    int name args                                                                                  \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                       \
            va_list more;                                                                          \
            va_start(more, flags);                                                                 \
            mode = va_arg(more, mode_t);                                                           \
            va_end(more);                                                                          \
        }                                                                                          \
        return opened(dir, path, flags, mode);                                                     \
    }
OPENS(open, AT_FDCWD, (const char *path, int flags, ...))
OPENS(open64, AT_FDCWD, (const char *path, int flags, ...))
OPENS(openat, dir, (int dir, const char *path, int flags, ...))
OPENS(openat64, dir, (int dir, const char *path, int flags, ...))

static ssize_t placed(int fd, const void *data, size_t size, off_t at)
{
    struct stat about;
    if (!watched_file(fd, &about)) return syscall(SYS_pwrite64, fd, data, size, at);
    pthread_mutex_lock(&order);
    int part = 0;
    if (S_ISREG(about.st_mode) && is_full(&part)) {
        if (!part || size < 2) {
            pthread_mutex_unlock(&order);
            return no_room();
        }
        size /= 2;
    }
    ssize_t done = syscall(SYS_pwrite64, fd, data, size, at);
    if (done > 0) keep(WRITE, about.st_ino, at, data, done);
    pthread_mutex_unlock(&order);
    return done;
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return placed(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) { return placed(fd, data, size, at); }

ssize_t write(int fd, const void *data, size_t size)
{
    struct stat about;
    int answer = trace >= 0 && fd == told;
    if (!answer && !watched_file(fd, &about)) return syscall(SYS_write, fd, data, size);
    pthread_mutex_lock(&order);
    int part = 0;
    if (!answer && S_ISREG(about.st_mode) && is_full(&part)) {
        if (!part || size < 2) {
            pthread_mutex_unlock(&order);
            return no_room();
        }
        size /= 2;
    }
    ssize_t done = syscall(SYS_write, fd, data, size);
    if (done > 0 && answer) keep(TOLD, 0, 0, data, done);
    else if (done > 0) keep(WRITE, about.st_ino, lseek(fd, 0, SEEK_CUR) - done, data, done);
    pthread_mutex_unlock(&order);
    return done;
}

static int shortened(int fd, off_t size)
{
    struct stat about;
    if (!watched_file(fd, &about)) return syscall(SYS_ftruncate, fd, size);
    pthread_mutex_lock(&order);
    int part = 0;
    if (size > about.st_size && is_full(&part)) {
        pthread_mutex_unlock(&order);
        return no_room();
    }
    int done = syscall(SYS_ftruncate, fd, size);
    if (!done) keep(TRUNCATE, about.st_ino, size, "", 0);
    pthread_mutex_unlock(&order);
    return done;
}
int ftruncate(int fd, off_t size) { return shortened(fd, size); }
int ftruncate64(int fd, off_t size) { return shortened(fd, size); }

static int synced(int fd, long call)
{
    struct stat about;
    if (!watched_file(fd, &about)) return syscall(call, fd);
    pthread_mutex_lock(&order);
    keep(BEGIN, about.st_ino, S_ISDIR(about.st_mode), "", 0);
    pthread_mutex_unlock(&order);
    if (sync_takes) usleep(sync_takes);
    pthread_mutex_lock(&order);
    keep(END, about.st_ino, S_ISDIR(about.st_mode), "", 0);
    pthread_mutex_unlock(&order);
    return 0;
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static int gone(int dir, const char *name, int flags)
{
    char path[PATH_MAX];
    if (!watched(dir, name, path)) return syscall(SYS_unlinkat, dir, name, flags);
    pthread_mutex_lock(&order);
    int done = syscall(SYS_unlinkat, dir, name, flags);
    if (!done) keep(UNLINK, 0, 0, path, strlen(path));
    pthread_mutex_unlock(&order);
    return done;
}
int unlink(const char *name) { return gone(AT_FDCWD, name, 0); }
int unlinkat(int dir, const char *name, int flags) { return gone(dir, name, flags); }

static int renamed(int dir, const char *old, int other, const char *new)
{
    char path[2 * PATH_MAX + 1];
    char to[PATH_MAX];
    if (!watched(dir, old, path) || !watched(other, new, to))
        return syscall(SYS_renameat2, dir, old, other, new, 0);
    pthread_mutex_lock(&order);
    int done = syscall(SYS_renameat2, dir, old, other, new, 0);
    if (!done) {
        strcat(strcat(path, "\n"), to);
        keep(RENAME, 0, 0, path, strlen(path));
    }
    pthread_mutex_unlock(&order);
    return done;
}
int rename(const char *old, const char *new) { return renamed(AT_FDCWD, old, AT_FDCWD, new); }
int renameat(int dir, const char *old, int other, const char *new) { return renamed(dir, old, other, new); }
