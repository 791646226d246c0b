/* A disk that takes longer: each sync of a process that preloads this waits SYNC_MS more.
 *
 *     cc -O2 -shared -fPIC slow_sync.c -o slow_sync.so -ldl
 *     SYNC_MS=5 LD_PRELOAD=./slow_sync.so python ...
 *
 * The disks of virtual machines often confirm what is only in the host's memory; this is what one
 * costs that keeps its word: 1 to 2 ms across a network, 5 to 10 ms where it turns.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_disk(void) {
    const char *text = getenv("SYNC_MS");
    const double seconds = text ? atof(text) / 1e3 : 0;
    struct timespec wait = {(time_t)seconds, (long)((seconds - (long)seconds) * 1e9)};
    nanosleep(&wait, NULL);
}

int fsync(int file) {
    int (*plain)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_for_disk();
    return plain(file);
}

int fdatasync(int file) {
    int (*plain)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_for_disk();
    return plain(file);
}
