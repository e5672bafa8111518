// SPDX-License-Identifier: Apache-2.0
#include "protium/fields.h"

#include "base/json.h"
#include "base/nearest.h"

namespace protium::fields {

Status Refuse(const std::string& path, const std::string& must, const Json& got) {
  return Fail({.exit = Exit::kUsage,
               .what = path + " must be " + must + ", got " + Dump(got),
               .where = path});
}

Status RefuseKey(const std::string& path, const std::string& key,
                 const std::vector<std::string>& known) {
  return Fail({.exit = Exit::kUsage,
               .what = "unknown key \"" + key + "\"" + (path.empty() ? "" : " in " + path),
               .where = Below(path, key.c_str()),
               .fix = Suggest(key, known)});
}

}  // namespace protium::fields
