// SPDX-License-Identifier: Apache-2.0
#include "app/run/addresses.h"

#include <algorithm>
#include <filesystem>

namespace protium {

namespace fs = std::filesystem;

namespace {

std::string AddressOf(const std::string& path, const ObjectPlace& run,
                      const RunManifest& manifest) {
  const auto file = std::ranges::find(manifest.files, path, &MirroredFile::path);
  const bool whole = file != manifest.files.end() && file->parts.size() == 1;
  return (run / (whole ? file->parts.front().object : path)).text();
}

}  // namespace

Json WithAddresses(Json result, const ObjectPlace& run, const RunManifest& manifest) {
  const fs::path folder = TextAt(result, "folder");
  const auto address = [&](const Json& path) {
    if (!path.is_string()) return path;
    const fs::path inside = fs::path(path.get<std::string>()).lexically_relative(folder);
    const bool outside = inside.empty() || *inside.begin() == "..";
    return outside ? path : Json(AddressOf(inside.string(), run, manifest));
  };
  Json outputs = Json::array(), counts = Json::object();
  const Json known = result.value("output_rows", Json::object());
  for (const Json& each : result.value("outputs", Json::array())) {
    outputs.push_back(address(each));
    const Json count = each.is_string() ? known.value(each.get<std::string>(), Json()) : Json();
    if (!count.is_null()) counts[outputs.back().get<std::string>()] = count;
  }
  result["outputs"] = std::move(outputs);
  result["output_rows"] = std::move(counts);
  result["model"] = address(result.value("model", Json()));
  result["folder"] = run.text();
  return result;
}

}  // namespace protium
