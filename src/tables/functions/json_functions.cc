// SPDX-License-Identifier: Apache-2.0
// Functions of texts that contain JSON.
#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/json_path.h"
#include "java/json_tokens.h"

namespace protium {
namespace {

using Kind = JsonTokens::Kind;

// Stores the path of the previous row: usually all rows have the same.
struct PathChunk : Chunk {
  std::string path;
  std::optional<std::vector<JsonStep>> steps;
};

std::optional<std::string> GetJsonObject(PathChunk& chunk, Text json, Text path) {
  if (!chunk.steps || chunk.path != path) {
    chunk.path = path;
    chunk.steps = ReadJsonPath(path);
  }
  return chunk.steps ? FollowJsonPath(json, *chunk.steps) : std::nullopt;
}

std::optional<int32_t> ArrayLength(Chunk&, Text json) {
  JsonTokens tokens(json);
  if (tokens.Next() != Kind::kStartArray) return std::nullopt;
  int32_t length = 0;
  while (tokens.Next() != Kind::kEndArray) {
    if (!tokens.SkipChildren()) return std::nullopt;
    ++length;
  }
  return length;
}

std::optional<Texts> ObjectKeys(Chunk&, Text json) {
  JsonTokens tokens(json);
  if (tokens.Next() != Kind::kStartObject) return std::nullopt;
  Texts keys;
  while (tokens.Next() != Kind::kEndObject) {
    if (tokens.kind() == Kind::kBad) return std::nullopt;
    keys.push_back(tokens.text());
    tokens.Next();
    if (!tokens.SkipChildren()) return std::nullopt;
  }
  return keys;
}

// One column of json_tuple(): the value of the last field of that name, texts without quotes.
// Nothing if the text is not an object, or not JSON up to its end.
std::optional<std::string> TupleField(Chunk&, Text json, Text name) {
  JsonTokens tokens(json);
  if (tokens.Next() != Kind::kStartObject) return std::nullopt;
  std::optional<std::string> value;
  while (tokens.Next() != Kind::kEndObject) {
    if (tokens.kind() == Kind::kBad) return std::nullopt;
    const bool wanted = tokens.text() == name;
    const Kind kind = tokens.Next();
    if (wanted && kind == Kind::kText) {
      value = tokens.text();
    } else if (wanted && kind != Kind::kNull) {
      if (!tokens.Copy(value.emplace())) return std::nullopt;
    } else if (!tokens.SkipChildren()) {
      return std::nullopt;
    }
  }
  return value;
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&ArrayLength>("pt_json_array_length"),
    AsRowFunction<&GetJsonObject>("pt_get_json_object"),
    AsRowFunction<&ObjectKeys>("pt_json_object_keys"),
    AsRowFunction<&TupleField>("pt_json_field"),
};

}  // namespace

std::span<const RowFunction> JsonFunctions() { return kFunctions; }

}  // namespace protium
