// SPDX-License-Identifier: Apache-2.0
// What a program prints, as lines that are safe to show.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "os/fd.h"

namespace protium {

// Cuts bytes into lines. A line is shown as on a terminal: a carriage return begins it again, and
// what could move a cursor is made visible (Printable). It holds at most kLongestLine bytes and
// counts the rest, so that a program which prints no line breaks fills no memory.
class LineCutter {
 public:
  static constexpr size_t kLongestLine = 4096;

  // Appends the lines that these bytes complete to `lines`, each with its line break.
  void Add(std::string_view bytes, std::string& lines);
  // Ends the last line, if there is one.
  void Finish(std::string& lines);

 private:
  void Take(std::string_view bytes);
  void End(std::string& lines);

  std::string line_;
  int64_t cut_ = 0;      // Bytes of the line beyond those in line_.
  bool begun_ = false;   // The line has bytes, perhaps none that are shown.
  bool return_ = false;  // The last byte was a carriage return.
};

// The end of a text: the last lines that are worth showing with a failure.
class LastLines {
 public:
  void Add(std::string_view lines);
  std::string text() const;

 private:
  std::deque<std::string> lines_;
};

// The reading end of a pipe that a program prints to.
class PrintedPipe {
 public:
  PrintedPipe() = default;
  // `writer`: the program's end.
  static Result<PrintedPipe> Make(UniqueFd& writer);
  int fd() const { return fd_.get(); }  // -1 once it is closed.
  // Reads once, at most 64 KiB, and returns the whole lines in it. At the end of the pipe, or if
  // there is nothing to read and `last`, ends the last line and closes.
  std::string Read(bool last = false);

 private:
  UniqueFd fd_;
  LineCutter cutter_;
};

}  // namespace protium
