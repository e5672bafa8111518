// SPDX-License-Identifier: Apache-2.0
#include "app/run/addresses.h"

#include <algorithm>
#include <filesystem>

namespace protium {

namespace fs = std::filesystem;

namespace {

// Where the files of a folder lie beside each other; empty if it has none.
std::string ObjectsOf(const std::string& folder, const RunManifest& manifest) {
  for (const MirroredFile& file : manifest.files) {
    if (!file.path.starts_with(folder + "/") || file.parts.empty()) continue;
    const std::string& object = file.parts.front().object;
    const std::string below = file.path.substr(folder.size());
    if (object.ends_with(below)) return object.substr(0, object.size() - below.size());
  }
  return "";
}

std::string AddressOf(const std::string& path, const ObjectPlace& run,
                      const RunManifest& manifest) {
  const auto file = std::ranges::find(manifest.files, path, &MirroredFile::path);
  const bool whole = file != manifest.files.end() && file->parts.size() == 1;
  return (run / (whole ? file->parts.front().object : path)).text();
}

// An output of Spark is a folder of files.
std::string AddressOfOutput(const std::string& path, const ObjectPlace& run,
                            const RunManifest& manifest) {
  const std::string folder = ObjectsOf(path, manifest);
  return folder.empty() ? AddressOf(path, run, manifest) : (run / folder).text();
}

}  // namespace

Json WithAddresses(Json result, const ObjectPlace& run, const RunManifest& manifest) {
  const fs::path folder = TextAt(result, "folder");
  const auto address = [&](const Json& path, const auto& address_of) {
    if (!path.is_string()) return path;
    const fs::path inside = fs::path(path.get<std::string>()).lexically_relative(folder);
    const bool outside = inside.empty() || *inside.begin() == "..";
    return outside ? path : Json(address_of(inside.string(), run, manifest));
  };
  Json outputs = Json::array(), counts = Json::object();
  const Json known = result.value("output_rows", Json::object());
  for (const Json& each : result.value("outputs", Json::array())) {
    outputs.push_back(address(each, AddressOfOutput));
    const Json count = each.is_string() ? known.value(each.get<std::string>(), Json()) : Json();
    if (!count.is_null()) counts[outputs.back().get<std::string>()] = count;
  }
  result["outputs"] = std::move(outputs);
  result["output_rows"] = std::move(counts);
  result["model"] = address(result.value("model", Json()), AddressOf);
  result["folder"] = run.text();
  return result;
}

}  // namespace protium
