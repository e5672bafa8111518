// SPDX-License-Identifier: Apache-2.0
// `sql -i`: statements from a file, and a person at a terminal.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>

#include "whole/own_job.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// `protium sql -i` on its own terminal, over the tables of `own`; its state folder is there.
class Typist {
 public:
  explicit Typist(const OwnJob& own) {
    const std::string command = ProtiumCommand(), data = own.path(), state = own / "state";
    winsize size{.ws_row = 50, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    pid_ = ::forkpty(&fd_, nullptr, nullptr, &size);
    if (pid_ != 0) return;
    ::setenv("TERM", "xterm", 1);
    ::setenv("XDG_STATE_HOME", state.c_str(), 1);
    ::execl(command.c_str(), "protium", "sql", "-i", "--data", data.c_str(), nullptr);
    ::_exit(127);
  }
  ~Typist() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    ::close(fd_);
  }
  Typist(const Typist&) = delete;
  Typist& operator=(const Typist&) = delete;

  // Types, then waits until `text` is shown after everything awaited before.
  bool Shows(const std::string& keys, const std::string& text) {
    if (::write(fd_, keys.data(), keys.size()) != ssize_t(keys.size())) return false;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    size_t at = seen_.find(text, from_);
    while (at == seen_.npos && std::chrono::steady_clock::now() < until && ReadMore()) {
      at = seen_.find(text, from_);
    }
    if (at == seen_.npos) return false;
    from_ = at + text.size();
    return true;
  }
  // Waits for the command's end and returns the exit code.
  int Ends() {
    while (ReadMore()) {
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  void Signal(int signal) const { ::kill(pid_, signal); }
  // Whether the terminal echoes what is typed, as a shell expects.
  bool Echoes() const {
    termios settings{};
    return ::tcgetattr(fd_, &settings) == 0 && (settings.c_lflag & ECHO) != 0;
  }
  // A terminal's mode cannot be waited for: it is polled for up to ten seconds.
  bool EchoesSoon() const {
    for (int i = 0; i < 10'000 && !Echoes(); ++i) ::usleep(1000);
    return Echoes();
  }
  const std::string& seen() const { return seen_; }

 private:
  bool ReadMore() {
    pollfd poll{.fd = fd_, .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, 60'000) <= 0) return false;
    char bytes[4096];
    const ssize_t got = ::read(fd_, bytes, sizeof(bytes));
    if (got <= 0) return false;
    seen_.append(bytes, size_t(got));
    return true;
  }

  int fd_ = -1;
  pid_t pid_ = -1;
  std::string seen_;
  size_t from_ = 0;
};

Outcome Piped(const OwnJob& own, const std::string& text) {
  own.Write("statements.sql", text);
  const std::string line = "'" + ProtiumCommand() + "' sql -i --data '" + own.path().string() +
                           "' < '" + (own / "statements.sql").string() + "'";
  Running command({"/bin/bash", "-c", line}, own.path());
  return command.Wait();
}

}  // namespace

TEST(Prompt, RunsTheStatementsOfAFileInOrder) {
  const OwnJob own;
  const Outcome outcome = Piped(own,
                                "-- two of them\n\\d machines\nSELECT count(*) AS n,\n  ';' AS t "
                                "FROM machines;\nSELECT max(id) AS top FROM machines");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(Has(outcome.out, "column  type\nid      int64\nkind    string\n")) << outcome.out;
  EXPECT_TRUE(Has(outcome.out, "600  ;\n\n1 row, 0.")) << outcome.out;
  EXPECT_TRUE(Has(outcome.out, "599\n\n1 row, 0.")) << outcome.out;
}

TEST(Prompt, KeepsViewsFromOneStatementToTheNext) {
  const OwnJob own;
  const Outcome outcome = Piped(own,
                                "CREATE VIEW old AS SELECT * FROM machines WHERE id >= 590;\n"
                                "CREATE OR REPLACE VIEW old AS SELECT id + 1 AS next FROM old;\n"
                                "\\d\n\\d OLD\nSELECT count(*) AS n, max(next) AS top FROM old;\n"
                                "CREATE VIEW Old AS SELECT 1 AS x;");
  EXPECT_TRUE(Has(outcome.out, "old       a view\n")) << outcome.out;
  EXPECT_TRUE(Has(outcome.out, "column  type\nnext    int64\n")) << outcome.out;
  EXPECT_TRUE(Has(outcome.out, "   10    600\n")) << outcome.out;
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_TRUE(Has(outcome.err, "there is a view \"old\" already")) << outcome.err;
}

TEST(Prompt, TakesTheWordsOfOtherPrompts) {
  const OwnJob own;
  const Outcome outcome = Piped(own, "help\nSELECT 40 + 2 AS answer;\nQuit;\nSELECT 7 AS never;");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(Has(outcome.err, "\\d TABLE its columns")) << outcome.err;
  EXPECT_TRUE(Has(outcome.out, "42\n")) << outcome.out;
  EXPECT_FALSE(Has(outcome.out, "never")) << outcome.out;
  // Within a query they are names.
  EXPECT_TRUE(Has(Piped(own, "SELECT 1 AS\nexit\n;").out, "exit\n"));
}

TEST(Prompt, StopsAtTheFirstStatementOfAFileThatFails) {
  const OwnJob own;
  const Outcome outcome = Piped(own, "\\d\nSELECT 1;\n\n\nSELECT foo(1);\nSELECT 2;");
  EXPECT_EQ(outcome.exit, 2) << outcome.err;
  EXPECT_TRUE(Has(outcome.err, "stdin, line 5: ")) << outcome.err;
  EXPECT_TRUE(Has(outcome.out, "machines  ")) << outcome.out;
  EXPECT_FALSE(Has(outcome.out, "int32\n    2")) << outcome.out;
}

TEST(Prompt, EditsCompletesAndRemembersLines) {
  const OwnJob own;
  {
    Typist typist(own);
    ASSERT_TRUE(typist.Shows("", "protium> ")) << typist.seen();
    EXPECT_FALSE(typist.Echoes());
    // The arrow keys are used to insert a missing letter; the query ends on its second line.
    ASSERT_TRUE(
        typist.Shows("SELECT cout(*) AS n\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D"
                     "\x1b[D\x1b[Dn\r",
                     "      -> "))
        << typist.seen();
    // A tab among other keys is part of a pasted text and does not complete.
    ASSERT_TRUE(typist.Shows("FROM mach\t", "FROM machines ")) << typist.seen();
    ASSERT_TRUE(typist.Shows(";\r", "600")) << typist.seen();
    ASSERT_TRUE(typist.Shows("", "1 row, ")) << typist.seen();
    ASSERT_TRUE(typist.Shows("\\d\r", "machines.csv")) << typist.seen();
    // After wrong queries and discarded lines the prompt still works.
    ASSERT_TRUE(typist.Shows("SELECT nonsense(1);\r", "error: ")) << typist.seen();
    ASSERT_TRUE(typist.Shows("SELECT 'ab\x03", "^C")) << typist.seen();
    ASSERT_TRUE(typist.Shows("SELECT 7 * 6 AS answer;\r", "42")) << typist.seen();
    ASSERT_TRUE(typist.Shows("", "protium> ")) << typist.seen();
    ASSERT_TRUE(typist.Shows("\x04", ""));
    EXPECT_EQ(typist.Ends(), 0);
    EXPECT_TRUE(typist.Echoes());
  }
  const fs::path history = own / "state/protium/sql_history";
  EXPECT_TRUE(Has(ReadText(history), "SELECT count(*) AS n\n")) << ReadText(history);
  EXPECT_EQ(fs::status(history).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  Typist typist(own);
  ASSERT_TRUE(typist.Shows("", "protium> ")) << typist.seen();
  ASSERT_TRUE(typist.Shows("\x1b[A\r", "42")) << typist.seen();
  ASSERT_TRUE(typist.Shows("\\q\r", ""));
  EXPECT_EQ(typist.Ends(), 0);
}

// The keys may arrive when no query runs and no line is read.
TEST(Prompt, AnInterruptBetweenQueriesStopsNone) {
  const OwnJob own;
  Typist typist(own);
  ASSERT_TRUE(typist.Shows("", "protium> ")) << typist.seen();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(typist.Shows("SELECT nonsense(1);\r", "error: there is no")) << typist.seen();
    ASSERT_TRUE(typist.Shows("\x03", "^C")) << typist.seen();
    ASSERT_TRUE(typist.Shows("SELECT 7 * 6 AS answer;\r", "42")) << typist.seen();
  }
}

TEST(Prompt, OutlivesAQueryThatIsStopped) {
  const OwnJob own;
  Typist typist(own);
  ASSERT_TRUE(typist.Shows("", "protium> ")) << typist.seen();
  // 600^4 pairs: it would run for hours.
  ASSERT_TRUE(
      typist.Shows("SELECT sum(a.id * b.id % 7) AS s FROM machines a CROSS JOIN machines b "
                   "CROSS JOIN machines c CROSS JOIN machines d;\r",
                   "d;"))
      << typist.seen();
  ASSERT_TRUE(typist.EchoesSoon());
  ASSERT_TRUE(typist.Shows("\x03", "error: ")) << typist.seen();
  ASSERT_TRUE(typist.Shows("", "protium> ")) << typist.seen();
  ASSERT_TRUE(typist.Shows("SELECT 7 * 6 AS answer;\r", "42")) << typist.seen();
  ASSERT_TRUE(typist.Shows("", "protium> ")) << typist.seen();
  typist.Signal(SIGTERM);
  EXPECT_EQ(typist.Ends(), 0);
  EXPECT_TRUE(typist.Echoes());
}

}  // namespace protium::whole
