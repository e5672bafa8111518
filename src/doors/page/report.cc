// SPDX-License-Identifier: Apache-2.0
// 1. Every script in the file is listed by its hash in the policy at its top, and nothing else may
//    run: whatever the names and messages of a run contain, they are data.
// 2. In data "<" is written as \u003c, so that no text can end the element that holds it.
#include "page/report.h"

#include <arrow/util/compression.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "base/units.h"
#include "page/api.h"
#include "page/assets.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostResponseBytes = 1 << 20;
constexpr size_t kMostAssetBytes = 1 << 20;

// The responses below /api/v1/runs/ID/ that a report contains, and how many points of each curve.
struct Asked {
  const char* what;
  const char* points;
};
constexpr Asked kAsked[] = {{"", ""},         {"metrics", "500"}, {"lanes", "120"},
                            {"settings", ""}, {"plan", ""},       {"operators", ""},
                            {"profile", ""},  {"model", ""},      {"forest", ""},
                            {"forest/0", ""}, {"trials", ""},     {"trials/importance", ""},
                            {"gang", ""},     {"executors", ""}};

Result<std::string> Unpacked(std::string_view gzip) {
  PT_LET(const auto codec, arrow::util::Codec::Create(arrow::Compression::GZIP));
  std::string text(kMostAssetBytes, '\0');
  PT_LET(const int64_t size,
         codec->Decompress(int64_t(gzip.size()), reinterpret_cast<const uint8_t*>(gzip.data()),
                           int64_t(text.size()), reinterpret_cast<uint8_t*>(text.data())));
  text.resize(size_t(size));
  return text;
}

Result<PageAsset> FindAsset(std::string_view end) {
  for (const PageAsset& asset : PageAssets()) {
    if (asset.path.ends_with(end)) return asset;
  }
  return Status::UnknownError("the page has no ", end);
}

std::string Inert(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char each : json) {
    if (each == '<') {
      text += "\\u003c";
    } else {
      text += each;
    }
  }
  return text;
}

// {"run", "protium", "answers": {"metrics": ..., ...}, "left_out": [{"what", "why"}]}
Result<std::string> DataOf(const fs::path& run) {
  PageApi api({.runs = run.parent_path()});
  const std::string name = run.filename().string();
  std::string responses;
  Json left_out = Json::array();
  for (const Asked& each : kAsked) {
    HttpRequest request{.method = "GET", .path = "/api/v1/runs/" + name};
    if (*each.what != '\0') request.path += std::string("/") + each.what;
    if (*each.points != '\0') request.parameters.emplace("points", each.points);
    const HttpResponse response = api.Respond(request);
    if (response.status != 200) {
      const Json refused = ParseJson(response.body).ValueOr(Json());
      if (*each.what == '\0') {
        return Fail({.exit = Exit::kInput,
                     .what = "no report can be made of " + run.string(),
                     .why = TextAt(refused.value("error", Json::object()), "what")});
      }
      left_out.push_back({{"what", each.what}, {"why", "it cannot be read"}});
    } else if (response.body.size() > kMostResponseBytes) {
      left_out.push_back(
          {{"what", each.what}, {"why", "it has " + BytesText(double(response.body.size()))}});
    } else {
      responses +=
          fmt::format("{}\"{}\":{}", responses.empty() ? "" : ",", each.what, response.body);
    }
  }
  return Inert(fmt::format("{{\"run\":{},\"left_out\":{},\"answers\":{{{}}}}}", Dump(Json(name)),
                           Dump(left_out), responses));
}

Result<std::string> Written(const fs::path& run) {
  PT_LET(const PageAsset script, FindAsset(".js"));
  PT_LET(const PageAsset style, FindAsset(".css"));
  PT_LET(const std::string script_text, Unpacked(script.gzip));
  PT_LET(const std::string style_text, Unpacked(style.gzip));
  PT_LET(const std::string data, DataOf(fs::absolute(run).lexically_normal()));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{}'; "
      "style-src '{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Protium</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<div id=\"page\"></div>\n"
      "<noscript>This report needs JavaScript; protium status and protium runs show print the same "
      "figures.</noscript>\n"
      "<script type=\"application/json\" id=\"report\">{}</script>\n"
      "<script type=\"module\">{}</script>\n</body>\n</html>\n",
      script.hash, style.hash, style_text, data, script_text);
}

}  // namespace

// Exceptions of the JSON library about damaged files end here: the end of a run must not fail.
Result<std::string> MakeReport(const fs::path& run) {
  try {
    return Written(run);
  } catch (const std::exception& error) {
    return Fail({.exit = Exit::kInput,
                 .what = "the files of this run cannot be understood",
                 .why = error.what()});
  }
}

}  // namespace protium
