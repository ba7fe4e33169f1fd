/* Preloaded into a process, it makes every sync last at least as long as on another disk: the real
   call is made, and what it took less than SLOW_SYNC_US microseconds is waited for. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

typedef int (*sync_call)(int);

static long long now_ns(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static int slowly(const char *name, sync_call *real, int file) {
    const char *told = getenv("SLOW_SYNC_US");
    long long until = now_ns() + (told ? atoll(told) : 0) * 1000LL;
    if (!*real)
        *real = (sync_call)dlsym(RTLD_NEXT, name);
    int result = (*real)(file);
    int error = errno;
    struct timespec end = {until / 1000000000LL, until % 1000000000LL};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
        ;
    errno = error;
    return result;
}

int fsync(int file) {
    static sync_call real;
    return slowly("fsync", &real, file);
}

int fdatasync(int file) {
    static sync_call real;
    return slowly("fdatasync", &real, file);
}
