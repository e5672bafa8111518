// SPDX-License-Identifier: Apache-2.0
#include "weights/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

// std::regex matches by recursion over the text, so a name must not be as long as a file.
constexpr size_t kMostName = 1000;
constexpr size_t kMostNamed = 12;  // In a message; the others are counted.
constexpr std::string_view kCounter = "num_batches_tracked";

using ByName = std::map<std::string, const NamedTensor*, std::less<>>;

ByName Index(const std::vector<NamedTensor>& tensors) {
  ByName names;
  for (const NamedTensor& each : tensors) names[each.name] = &each;
  return names;
}

std::string Shape(const NamedTensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.shape, ", "));
}

// The prefix that all names of the file have before the net's, as DistributedDataParallel
// ("module.") and Lightning ("model.") add it; empty if the names differ in another way.
std::string CommonPrefix(const ByName& given, const ByName& wanted) {
  if (given.empty() || wanted.empty()) return "";
  // Any name of the net will do: the prefix, if there is one, precedes it as well.
  const std::string& name = wanted.begin()->first;
  for (const auto& [longer, tensor] : given) {
    if (longer.size() <= name.size() + 1 || !longer.ends_with("." + name)) continue;
    const std::string prefix = longer.substr(0, longer.size() - name.size());
    const bool all = std::ranges::all_of(
        wanted, [&](const auto& each) { return given.contains(prefix + each.first); });
    if (all) return prefix;
  }
  return "";
}

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view(".^$|()[]{}*+?\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

Status DoNotFit(const std::vector<std::string>& wrong, const std::string& prefix) {
  const size_t named = std::min(wrong.size(), kMostNamed);
  std::string why =
      fmt::format("{}", fmt::join(wrong.begin(), wrong.begin() + int64_t(named), "; "));
  if (wrong.size() > named) why += fmt::format("; and {} more", wrong.size() - named);
  return Fail({.exit = Exit::kInput,
               .what = "the weights do not fit the net",
               .why = std::move(why),
               .fix = prefix.empty()
                          ? "--rename 'REGEX=TO' gives tensors the net's names, and with "
                            "nothing behind = leaves them out"
                          : fmt::format("--rename '^{}='", Escaped(prefix))});
}

Result<std::regex> Compile(const std::string& pattern) {
  try {
    return std::regex(pattern);
  } catch (const std::regex_error& error) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("\"{}\" is not a regular expression", pattern),
                 .where = "--rename",
                 .why = error.what()});
  }
}

Result<std::string> NewName(const std::string& name, const Rename& rename) {
  PT_LET(const std::regex pattern, Compile(rename.pattern));
  try {
    return std::regex_replace(name, pattern, rename.to);
  } catch (const std::regex_error& error) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("\"{}\" takes too long to match", rename.pattern),
                 .where = "--rename",
                 .why = error.what()});
  }
}

}  // namespace

Result<Rename> ParseRename(const std::string& text) {
  // The last one, since a pattern may contain "=", as (?=x) does.
  const size_t at = text.rfind('=');
  if (at == text.npos || at == 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("\"{}\" says not what a name becomes", text),
                 .where = "--rename",
                 .fix = "--rename 'REGEX=TO', such as '^module\\.='"});
  }
  Rename rename{text.substr(0, at), text.substr(at + 1)};
  PT_TRY(Compile(rename.pattern));
  return rename;
}

Result<std::vector<NamedTensor>> Renamed(const std::vector<NamedTensor>& given,
                                         std::span<const Rename> renames) {
  std::vector<NamedTensor> renamed;
  // The original names, by the new ones.
  std::map<std::string, std::string> former;
  for (NamedTensor tensor : given) {
    const std::string name = tensor.name;
    for (const Rename& each : renames) {
      if (tensor.name.size() > kMostName) break;
      PT_LET(tensor.name, NewName(tensor.name, each));
    }
    if (tensor.name.empty()) continue;
    const auto [at, fresh] = former.emplace(tensor.name, name);
    if (!fresh) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("{} and {} both become {}", at->second, name, tensor.name),
                   .where = "--rename"});
    }
    renamed.push_back(std::move(tensor));
  }
  return renamed;
}

Result<std::vector<NamedTensor>> FitTensors(const std::vector<NamedTensor>& given,
                                            const std::vector<NamedTensor>& wanted,
                                            std::vector<std::string>& passed_over) {
  const ByName ours = Index(wanted), theirs = Index(given);
  std::vector<std::string> wrong;
  std::vector<NamedTensor> fitted;
  for (const NamedTensor& each : wanted) {
    const auto found = theirs.find(each.name);
    if (found == theirs.end()) {
      wrong.push_back("it has no " + each.name);
    } else if (found->second->shape != each.shape) {
      wrong.push_back(
          fmt::format("its {} is {}, the net's {}", each.name, Shape(*found->second), Shape(each)));
    } else {
      fitted.push_back(*found->second);
    }
  }
  // All errors are collected first, so that one fault names them.
  for (const auto& [name, tensor] : theirs) {
    if (ours.contains(name)) continue;
    if (name.ends_with(kCounter)) {
      passed_over.push_back(name);
    } else {
      wrong.push_back("the net has no " + name);
    }
  }
  if (!wrong.empty()) return DoNotFit(wrong, CommonPrefix(theirs, ours));
  return fitted;
}

}  // namespace protium
