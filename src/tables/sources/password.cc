// SPDX-License-Identifier: Apache-2.0
#include "sources/password.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace protium {
namespace {

namespace fs = std::filesystem;

Status RefusePlace(std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage, .what = std::move(what), .fix = std::move(fix)});
}

Result<std::string> FromFile(const std::string& path) {
  std::error_code error;
  const fs::perms mode = fs::status(path, error).permissions();
  std::ifstream file(path);
  std::string line;
  if (error || !std::getline(file, line)) {
    return RefusePlace("the password file " + path + " cannot be read",
                       "name a file with the password");
  }
  if ((mode & (fs::perms::group_read | fs::perms::others_read)) != fs::perms::none) {
    return RefusePlace("the password file " + path + " can be read by others", "chmod 600 " + path);
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

void Replace(std::string& text, const std::string& what) {
  constexpr std::string_view kInstead = "(password)";
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + kInstead.size())) {
    text.replace(at, what.size(), kInstead);
  }
}

std::string Doubled(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled += c == '\'' ? "''" : std::string(1, c);
  return doubled;
}

}  // namespace

Result<std::string> ReadPassword(const PasswordPlace& place) {
  if (!place.env.empty() && !place.file.empty()) {
    return RefusePlace("two places are given for the password", "leave out one of env and file");
  }
  if (!place.file.empty()) return FromFile(place.file);
  if (place.env.empty()) return std::string();
  const char* const value = std::getenv(place.env.c_str());
  if (value != nullptr) return std::string(value);
  return RefusePlace(
      "the environment variable " + place.env + ", which is to hold a password, is unset",
      "read -rs " + place.env + " && export " + place.env);
}

Status WithoutPassword(const Status& status, const std::string& password) {
  if (status.ok() || password.empty()) return status;
  Fault fault = FaultOf(status);
  for (std::string* part : {&fault.what, &fault.where, &fault.why, &fault.fix, &fault.kept}) {
    Replace(*part, Doubled(password));
    Replace(*part, password);
  }
  return Fail(std::move(fault));
}

std::string DescribePlace(const PasswordPlace& place) {
  if (!place.env.empty()) return "the environment variable " + place.env;
  if (!place.file.empty()) return "the file " + place.file;
  return "nowhere: the connection names no password";
}

}  // namespace protium
