// SPDX-License-Identifier: Apache-2.0
// The two known kinds of messages, with the wanted parts in brackets:
//   Job aborted ...: Task 1 in stage 15.0 failed 4 times, most recent failure: [Lost task 1.3 in
//   stage 15.0 (TID 34) (10.0.0.7 executor 3): ][class: ][text]\n\tat stack
//   Job aborted ...: ... failed barrier ResultStage ... [barrier task ResultTask(19, 1) finished
//   unsuccessfully.\n][class: ][text]\n\tat stack
#include "connect/job_failure.h"

#include <algorithm>

#include "base/text.h"

namespace protium::connect {

namespace {

constexpr std::string_view kLostTask = "Lost task ";
constexpr std::string_view kBarrierTask = "barrier task ResultTask(";
constexpr std::string_view kBarrierEnd = " finished unsuccessfully.\n";
constexpr std::string_view kPreamble = "An exception was thrown from the Python worker:";
constexpr std::string_view kCrash = "Python worker exited unexpectedly (crashed)";

std::string_view Until(std::string_view text, std::string_view end) {
  return text.substr(0, text.find(end));
}

std::string_view WithoutStack(std::string_view text) {
  for (const std::string_view end : {"\n\tat ", "\n\nDriver stacktrace:", "\nDriver stacktrace:"}) {
    text = Until(text, end);
  }
  return text;
}

// Removes "org.apache.spark.SparkException: " from the front and returns the class.
std::string_view TakeClass(std::string_view& text) {
  const std::string_view name = Until(text, ": ");
  const bool is_class = name.size() < text.size() && name.find('.') != std::string_view::npos &&
                        name.find_first_of(" \n\t") == std::string_view::npos;
  if (!is_class) return {};
  text.remove_prefix(name.size() + 2);
  return name;
}

// Reads "1.3 in stage 15.0 (TID 34) (10.0.0.7 executor 3): rest"
std::string ReadLostTask(std::string_view& text) {
  const std::string_view head = Until(text, "): ");
  const size_t host = head.rfind('(');
  if (head.size() == text.size() || host == std::string_view::npos) return {};
  const std::string task(Until(head, "."));
  const size_t stage = head.find("stage ");
  std::string where = "task " + task;
  if (stage != std::string_view::npos) {
    where += " of stage " + std::string(Until(head.substr(stage + 6), "."));
  }
  const std::string_view place = head.substr(host + 1);
  const size_t executor = place.find(" executor ");
  where += " on " + std::string(Until(place, " executor "));
  if (executor != std::string_view::npos) {
    where += " (" + std::string(place.substr(executor + 1)) + ")";
  }
  text.remove_prefix(head.size() + 3);
  return where;
}

// Reads "19, 1) finished unsuccessfully.\nrest"
std::string ReadBarrierTask(std::string_view& text) {
  const std::string_view head = Until(text, ")");
  const size_t comma = head.find(", ");
  const size_t end = text.find(kBarrierEnd);
  if (comma == std::string_view::npos || end == std::string_view::npos) return {};
  const std::string where = "partition " + std::string(head.substr(comma + 2)) + " of stage " +
                            std::string(head.substr(0, comma));
  text.remove_prefix(end + kBarrierEnd.size());
  return where;
}

// With the fault handler on, the crashed worker's output follows after a colon; without it, Spark's
// advice on how to turn it on.
std::string CrashText(std::string_view text) {
  text.remove_prefix(std::min(text.find(kCrash) + kCrash.size(), text.size()));
  std::string told = "the worker ended without an error: it crashed or was killed";
  if (text.starts_with(": ")) told += "\n" + std::string(Trimmed(text.substr(2)));
  return told;
}

}  // namespace

std::string_view Bare(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with("[") && text.find("] ") < 80) text.remove_prefix(text.find("] ") + 2);
  const size_t state = text.rfind("SQLSTATE: ");
  if (state != std::string_view::npos && text.size() - state <= 50) text = text.substr(0, state);
  return Trimmed(text);
}

std::string_view WorkerPart(std::string_view message) {
  const size_t preamble = message.find(kPreamble);
  if (preamble != std::string_view::npos) {
    message.remove_prefix(preamble + kPreamble.size());
    message = message.substr(0, message.rfind("SQLSTATE: 38000"));
  }
  return Trimmed(message);
}

JobFailure ReadJobFailure(std::string_view message) {
  JobFailure failure;
  if (const size_t lost = message.find(kLostTask); lost != std::string_view::npos) {
    message.remove_prefix(lost + kLostTask.size());
    failure.where = ReadLostTask(message);
  } else if (const size_t barrier = message.find(kBarrierTask); barrier != std::string_view::npos) {
    message.remove_prefix(barrier + kBarrierTask.size());
    failure.where = ReadBarrierTask(message);
  }
  if (failure.where.empty()) return failure;
  const std::string_view name = TakeClass(message);
  const std::string_view text = WithoutStack(message);
  failure.from_worker = name.ends_with(".PythonException");
  failure.crashed = text.find(kCrash) != std::string_view::npos;
  if (failure.crashed) {
    failure.text = CrashText(text);
  } else {
    failure.text = failure.from_worker ? WorkerPart(text) : Bare(text);
  }
  return failure;
}

}  // namespace protium::connect
