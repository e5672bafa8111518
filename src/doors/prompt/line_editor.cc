// SPDX-License-Identifier: Apache-2.0
// Redraws the line after every key: prompt, the part of the text that fits, the cursor. The
// terminal is raw while a line is read, so Ctrl-C and Ctrl-D arrive as bytes.
#include "prompt/line_editor.h"

#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <stop_token>

#include "base/text.h"
#include "base/utf8.h"
#include "os/signals.h"
#include "run/terminal.h"
#include "sql_words/tokens.h"

namespace protium {
namespace {

constexpr size_t kMostKeyBytes = 32;  // In an escape sequence; terminals send fewer.

std::string Ctrl(char letter) { return {char(letter - 'A' + 1)}; }

// Restores the terminal.
class RawMode {
 public:
  explicit RawMode(int fd) : fd_(fd), set_(::tcgetattr(fd, &before_) == 0) {
    termios raw = before_;
    raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    // Drained, not flushed, so that what was typed ahead is not lost.
    if (set_) ::tcsetattr(fd_, TCSADRAIN, &raw);
  }
  ~RawMode() {
    if (set_) ::tcsetattr(fd_, TCSADRAIN, &before_);
  }
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;

 private:
  const int fd_;
  termios before_{};
  const bool set_;
};

// Takes a SIGINT that is blocked and waits for this process.
bool TakeInterrupt() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  const timespec now{};
  return ::sigtimedwait(&set, nullptr, &now) == SIGINT;
}

size_t Before(const std::string& text, size_t at) {
  while (at > 0 && IsContinuation(text[--at])) {
  }
  return at;
}

size_t After(const std::string& text, size_t at) {
  if (at < text.size()) ++at;
  while (at < text.size() && IsContinuation(text[at])) ++at;
  return at;
}

size_t WordBefore(const std::string& text, size_t at) {
  while (at > 0 && !IsWordLetter(text[at - 1])) --at;
  while (at > 0 && IsWordLetter(text[at - 1])) --at;
  return at;
}

size_t WordAfter(const std::string& text, size_t at) {
  while (at < text.size() && !IsWordLetter(text[at])) ++at;
  while (at < text.size() && IsWordLetter(text[at])) ++at;
  return at;
}

// Returns where the word being typed begins; "\d" is one.
size_t TypedFrom(const std::string& text, size_t at) {
  while (at > 0 && IsWordLetter(text[at - 1])) --at;
  return at == 1 && text[0] == '\\' ? 0 : at;
}

// Returns the common beginning of all words, with the first word's capitalisation.
std::string CommonBeginning(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    size_t same = 0;
    while (same < std::min(common.size(), word.size()) &&
           Lower(common.substr(same, 1)) == Lower(word.substr(same, 1))) {
      ++same;
    }
    common.resize(same);
  }
  return common;
}

}  // namespace

void LineEditor::Print(const std::string& text) const {
  for (size_t at = 0; at < text.size();) {
    const ssize_t put = ::write(out_, text.data() + at, text.size() - at);
    if (put < 0 && errno != EINTR) return;  // A terminal that is gone shows at the next read.
    if (put > 0) at += size_t(put);
  }
}

Result<int> LineEditor::NextByte() {
  while (pending_.empty()) {
    const std::array<int, 2> fds = {in_, wake_};
    PT_LET(const auto ready, WaitReadable(fds, kNever));
    if (!ready.empty() && ready.back() == 1) return -1;
    std::array<char, 4096> bytes{};
    const ssize_t got = ::read(in_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    pending_.assign(bytes.data(), size_t(got));
  }
  const int byte = static_cast<unsigned char>(pending_.front());
  pending_.erase(0, 1);
  return byte;
}

// Returns a character, a control byte, or a whole escape sequence; empty at the end.
Result<std::string> LineEditor::NextKey() {
  PT_LET(int byte, NextByte());
  if (byte < 0) return std::string();
  std::string key(1, char(byte));
  while (!pending_.empty() && byte >= 0xC0 && IsContinuation(pending_.front())) {
    PT_LET(const int more, NextByte());
    key.push_back(char(more));
  }
  if (key != "\x1b") return key;
  PT_LET(byte, NextByte());
  key.push_back(char(byte));
  if (byte != '[' && byte != 'O') return key;
  do {
    PT_LET(byte, NextByte());
    key.push_back(char(byte));
  } while (byte >= 0 && byte < '@' && key.size() < kMostKeyBytes);
  return key;
}

void LineEditor::Move(const std::string& key) {
  const auto is = [&](std::initializer_list<std::string> keys) {
    return std::ranges::count(keys, key) > 0;
  };
  if (is({"\x1b[D", "\x1bOD", Ctrl('B')})) at_ = Before(line_, at_);
  if (is({"\x1b[C", "\x1bOC", Ctrl('F')})) at_ = After(line_, at_);
  if (is({"\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~", Ctrl('A')})) at_ = 0;
  if (is({"\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~", Ctrl('E')})) at_ = line_.size();
  if (is({"\x1b[1;5D", "\x1b[1;3D",
          "\x1b"
          "b"}))
    at_ = WordBefore(line_, at_);
  if (is({"\x1b[1;5C", "\x1b[1;3C",
          "\x1b"
          "f"}))
    at_ = WordAfter(line_, at_);
  if (is({"\x1b[A", "\x1bOA", Ctrl('P')})) Recall(-1);
  if (is({"\x1b[B", "\x1bOB", Ctrl('N')})) Recall(1);
  if (key == Ctrl('L')) Print("\x1b[H\x1b[2J");
}

void LineEditor::Edit(const std::string& key) {
  const auto erase = [&](size_t from, size_t to) {
    line_.erase(from, to - from);
    at_ = from;
  };
  if (key == "\x7f" || key == Ctrl('H')) {
    erase(Before(line_, at_), at_);
  } else if (key == "\x1b[3~" || key == Ctrl('D')) {
    erase(at_, After(line_, at_));
  } else if (key == Ctrl('K')) {
    line_.resize(at_);
  } else if (key == Ctrl('U')) {
    erase(0, at_);
  } else if (key == Ctrl('W') || key == "\x1b\x7f") {
    erase(WordBefore(line_, at_), at_);
  } else if (key == "\t") {
    // Within pasted text it is a blank.
    pending_.empty() ? CompleteWord() : Insert(" ");
  } else if (static_cast<unsigned char>(key[0]) >= ' ') {
    Insert(key);
  }
}

void LineEditor::Insert(const std::string& bytes) {
  line_.insert(at_, bytes);
  at_ += bytes.size();
}

void LineEditor::Recall(int step) {
  if (step < 0 ? recalled_ == 0 : recalled_ == history_.size()) return;
  if (recalled_ == history_.size()) new_line_ = line_;
  recalled_ += size_t(std::ptrdiff_t(step));
  line_ = recalled_ == history_.size() ? new_line_ : history_[recalled_];
  at_ = line_.size();
}

void LineEditor::CompleteWord() {
  const size_t from = TypedFrom(line_, at_);
  const std::string typed = line_.substr(from, at_ - from);
  std::vector<std::string> words;
  for (const std::string& word : complete_(line_.substr(0, at_))) {
    if (Lower(word).starts_with(Lower(typed))) words.push_back(word);
  }
  if (words.empty()) return;
  std::string common = CommonBeginning(words);
  if (words.size() == 1 && !common.ends_with('(')) common += " ";
  if (words.size() > 1 && common.size() <= typed.size()) return ListWords(words);
  line_.replace(from, typed.size(), common);
  at_ = from + common.size();
}

// Lists words below the line, which is then redrawn.
void LineEditor::ListWords(const std::vector<std::string>& words) {
  constexpr size_t kMost = 60;
  const int32_t width = Terminal::Of(out_).width;
  std::string row, all = "\r\n";
  for (size_t i = 0; i < std::min(words.size(), kMost); ++i) {
    if (!row.empty() && TextWidth(row) + TextWidth(words[i]) + 3 > width) {
      all += row + "\r\n";
      row.clear();
    }
    row += (row.empty() ? "" : "  ") + words[i];
  }
  if (words.size() > kMost) row += "  and " + std::to_string(words.size() - kMost) + " more";
  Print(all + row + "\r\n");
}

// Draws a line that is too long from a position where the cursor remains visible.
void LineEditor::Draw() {
  const int32_t room = std::max(8, Terminal::Of(out_).width - TextWidth(prompt_) - 1);
  size_t from = 0;
  while (TextWidth(std::string_view(line_).substr(from, at_ - from)) >= room) {
    from = After(line_, from);
  }
  size_t to = from;
  for (int32_t i = 0; i < room && to < line_.size(); ++i) to = After(line_, to);
  std::string text = "\r" + prompt_ + line_.substr(from, to - from) + "\x1b[K\r";
  const int32_t column =
      TextWidth(prompt_) + TextWidth(std::string_view(line_).substr(from, at_ - from));
  if (column > 0) text += "\x1b[" + std::to_string(column) + "C";
  Print(text);
}

Result<LineEnd> LineEditor::Read(const std::string& prompt, std::string& line) {
  const RawMode raw(in_);
  // Ctrl-C is a key from here on. Before, it was a signal, which must not stop the next query.
  const bool interrupted = TakeInterrupt();
  if (interrupted) pending_.clear();
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  const UniqueFd wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake) return SystemFault("wait for signals", errno);
  wake_ = wake.get();
  const std::stop_callback stopped(signals->token(), [&] { ::eventfd_write(wake.get(), 1); });
  prompt_ = prompt;
  line_.clear();
  at_ = 0;
  recalled_ = history_.size();
  LineEnd end = interrupted ? LineEnd::kCancelled : LineEnd::kEnter;
  while (!interrupted) {
    if (pending_.empty()) Draw();
    PT_LET(const std::string key, NextKey());
    if (key.empty() || (key == Ctrl('D') && line_.empty())) end = LineEnd::kEnd;
    if (key == Ctrl('C') || signals->signal() == SIGINT) end = LineEnd::kCancelled;
    if (end != LineEnd::kEnter || key == "\r" || key == "\n") break;
    Move(key);
    Edit(key);
  }
  at_ = line_.size();
  Draw();
  Print(end == LineEnd::kCancelled ? "^C\r\n" : "\r\n");
  line = line_;
  return end;
}

}  // namespace protium
