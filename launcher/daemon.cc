// SPDX-License-Identifier: Apache-2.0
#include "launcher/daemon.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/clock.h"
#include "launcher/group.h"
#include "launcher/handshake.h"
#include "launcher/listener.h"
#include "launcher/program.h"
#include "launcher/wire.h"

// The daemon forks for each connection, and the child becomes the program at once: it inherits only
// the socket and the group from the parent, and exec does not change the process id that the JVM
// was sent. The daemon itself has one thread, waits in poll() and takes about a megabyte: each
// session has its own on each executor, until the executor ends.

namespace protium::launcher {
namespace {

// How long workers have to end after SIGTERM.
constexpr int kPatienceMs = 300;

// Returns a descriptor that reports these signals, which are blocked and have no other effect from
// now on.
int Await(int one, int other) {
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, one);
  sigaddset(&awaited, other);
  sigprocmask(SIG_BLOCK, &awaited, nullptr);
  return signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK);
}

int Complain(const char* doing) {
  fprintf(stderr, "protium-launcher: cannot %s: %s\n", doing, strerror(errno));
  return 1;
}

// What the JVM writes on stdin: process ids as 32-bit big-endian numbers, perhaps in pieces.
class Commands {
 public:
  // Kills the process that is named; false at the end of the stream.
  bool Read() {
    ssize_t got = read(0, bytes_ + filled_, sizeof bytes_ - filled_);
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    filled_ += got;
    if (filled_ < sizeof bytes_) return true;
    filled_ = 0;
    uint32_t pid;
    memcpy(&pid, bytes_, sizeof pid);
    KillMember(static_cast<pid_t>(ntohl(pid)));
    return true;
  }

 private:
  char bytes_[4];
  size_t filled_ = 0;
};

[[noreturn]] void ServeConnection(int socket, const Listener& listener, pid_t leader,
                                  const char* own_name) {
  if (!JoinGroup(leader)) _exit(1);
  close(listener.fd);
  // After the fork: the id that is sent must be that of the process that serves the tasks.
  if (!Greet(socket, listener.transport)) _exit(1);
  StartProgram(socket, own_name);
}

void Accept(const Listener& listener, const char* own_name) {
  int socket = accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) {
    bool full = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
    // The connection stays in the queue, so poll() would return at once.
    if (full) Complain("take a connection"), Sleep(100);
    return;
  }
  pid_t leader = getpid();
  pid_t child = fork();
  if (child == 0) ServeConnection(socket, listener, leader, own_name);
  if (child < 0) {
    Complain("start a worker");
    // The JVM expects a process id; a negative one means that none could be started.
    SendInt(socket, -1, Now() + 1000);
  }
  close(socket);
}

// The order matters: removes the socket file first, so that no new connection comes, then ends the
// workers.
int End(const Listener& listener, int code) {
  if (!listener.path.empty()) unlink(listener.path.chars);
  EndGroup(kPatienceMs);
  return code;
}

bool IsPipe(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

// Whether `worker` has ended, with its exit code in `code`. Also reaps every other child that has
// ended: this process adopts orphans of the worker.
bool HasEnded(pid_t worker, int* code) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid != worker) continue;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }
  return false;
}

// Waits until the worker ends, the JVM has ended, or it requests the end. Returns the exit code.
int KeepWorker(pid_t worker, int signals) {
  pollfd watched[2] = {{signals, POLLIN, 0}, {IsPipe(0) ? 0 : -1, POLLIN, 0}};
  for (;;) {
    if (poll(watched, 2, -1) < 0 && errno != EINTR) return 1;
    signalfd_siginfo told;
    bool is_told = read(signals, &told, sizeof told) == sizeof told;
    if (is_told && told.ssi_signo == SIGTERM) return 1;
    int code;
    if (is_told && HasEnded(worker, &code)) return code;
    char ignored[64];
    if (watched[1].revents != 0 && read(0, ignored, sizeof ignored) == 0) return 0;
  }
}

[[noreturn]] void ServeSimple(int socket, pid_t leader, const char* own_name) {
  if (!JoinGroup(leader) || !Introduce(socket, getpid())) _exit(1);
  StartProgram(socket, own_name);
}

}  // namespace

int RunDaemon(const char* own_name) {
  if (!LeadGroup()) return Complain("lead a group of processes");
  int ends = Await(SIGTERM, SIGTERM);
  Listener listener = Listen();
  if (listener.fd < 0) return Complain("listen for Spark's JVM");
  if (!Announce(listener)) return End(listener, 1);
  Commands commands;
  pollfd watched[3] = {{0, POLLIN, 0}, {listener.fd, POLLIN, 0}, {ends, POLLIN, 0}};
  for (;;) {
    if (poll(watched, 3, -1) < 0 && errno != EINTR) return End(listener, 1);
    if (watched[2].revents != 0) return End(listener, 1);
    if (watched[0].revents != 0 && !commands.Read()) return End(listener, 0);
    if (watched[1].revents != 0) Accept(listener, own_name);
  }
}

int RunSimple(const char* own_name) {
  if (!LeadGroup()) return Complain("lead a group of processes");
  // LeadGroup() ignores SIGCHLD, and then ended children could not be waited for.
  signal(SIGCHLD, SIG_DFL);
  int signals = Await(SIGTERM, SIGCHLD);
  // Nothing is announced in this mode; stdout joins stderr, which the executor logs.
  dup2(2, 1);
  int socket = ConnectToJvm();
  if (socket < 0) return 1;
  pid_t leader = getpid();
  pid_t child = fork();
  if (child == 0) ServeSimple(socket, leader, own_name);
  if (child < 0) {
    SendInt(socket, -1, Now() + 1000);
    return Complain("start a worker");
  }
  close(socket);
  int code = KeepWorker(child, signals);
  EndGroup(kPatienceMs);
  return code;
}

}  // namespace protium::launcher
