// SPDX-License-Identifier: Apache-2.0
// What our libraries and those that packages bring use of glibc and releases before 2.36 lack, down
// to 2.28. libprotium.so names this library after libc.so.6, so the loader comes to it only for what
// the machine's own glibc does not have (scripts/wheel/elf.py makes it look by name alone).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

// False for as long as the process may have threads, which nobody here can know.
EXPORTED char __libc_single_threaded = 0;

// The kernel's struct stat is that of glibc on 64-bit machines.
EXPORTED int fstatat(int folder, const char* path, struct stat* out, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, out, flags);
}
EXPORTED int stat(const char* path, struct stat* out) { return fstatat(AT_FDCWD, path, out, 0); }
EXPORTED int lstat(const char* path, struct stat* out) {
  return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}
EXPORTED int fstat(int fd, struct stat* out) { return (int)syscall(SYS_fstat, fd, out); }

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one struct for both names");
EXPORTED int fstatat64(int folder, const char* path, struct stat64* out, int flags)
    __attribute__((alias("fstatat")));
EXPORTED int stat64(const char* path, struct stat64* out) __attribute__((alias("stat")));
EXPORTED int lstat64(const char* path, struct stat64* out) __attribute__((alias("lstat")));
EXPORTED int fstat64(int fd, struct stat64* out) __attribute__((alias("fstat")));

EXPORTED pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

EXPORTED uint32_t arc4random(void) {
  uint32_t word;
  // So few bytes come whole; only a kernel without the call, or one that still starts, refuses them.
  if (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word) abort();
  return word;
}

// "SEGV"; null for what is no signal or has no name.
EXPORTED const char* sigabbrev_np(int signal) {
  static const char* const kNames[] = {
      [SIGHUP] = "HUP",   [SIGINT] = "INT",   [SIGQUIT] = "QUIT",     [SIGILL] = "ILL",
      [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT", [SIGBUS] = "BUS",       [SIGFPE] = "FPE",
      [SIGKILL] = "KILL", [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV",     [SIGUSR2] = "USR2",
      [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",     [SIGSTKFLT] = "STKFLT",
      [SIGCHLD] = "CHLD", [SIGCONT] = "CONT", [SIGSTOP] = "STOP",     [SIGTSTP] = "TSTP",
      [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU", [SIGURG] = "URG",       [SIGXCPU] = "XCPU",
      [SIGXFSZ] = "XFSZ", [SIGPROF] = "PROF", [SIGVTALRM] = "VTALRM", [SIGWINCH] = "WINCH",
      [SIGPOLL] = "POLL", [SIGPWR] = "PWR",   [SIGSYS] = "SYS"};
  if (signal < 1 || signal >= (int)(sizeof kNames / sizeof kNames[0])) return NULL;
  return kNames[signal];
}

// A moment of `clock` as one of the clock that older waits know.
static struct timespec OnRealClock(clockid_t clock, const struct timespec* moment) {
  const int64_t kNanos = 1000000000;
  struct timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  const int64_t nanos = (int64_t)real.tv_nsec + moment->tv_nsec - now.tv_nsec;  // -1 s to 2 s.
  const int64_t carried = nanos < 0 ? -1 : nanos / kNanos;
  real.tv_sec += moment->tv_sec - now.tv_sec + carried;
  real.tv_nsec = nanos - carried * kNanos;
  return real;
}

// If the system's time is set meanwhile they end early or late, as C++'s waits did before glibc 2.30.
EXPORTED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                    clockid_t clock, const struct timespec* until) {
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
  const struct timespec real = OnRealClock(clock, until);
  return pthread_cond_timedwait(condition, mutex, &real);
}
EXPORTED int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                     const struct timespec* until) {
  if (clock == CLOCK_REALTIME) return pthread_mutex_timedlock(mutex, until);
  const struct timespec real = OnRealClock(clock, until);
  return pthread_mutex_timedlock(mutex, &real);
}
