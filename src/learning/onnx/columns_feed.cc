// SPDX-License-Identifier: Apache-2.0
#include "onnx/columns_feed.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/fault.h"
#include "pipeline/objective.h"

namespace protium::onnx {

Result<GraphedNet> NetOf(const Json& net) {
  GraphedNet out;
  PT_TRY(FromJson(net.at("net"), "net", out.net));
  Objective objective;
  PT_TRY(FieldsFromJson(net.at("objective"), "objective", objective));
  out.shape.outputs = objective.outputs();
  out.shape.numeric = int64_t(net.at("numeric").size());
  for (const Json& each : net.at("categorical")) {
    if (each.at("cardinality") < 0) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("the column of ids {} cannot be expressed in ONNX",
                                       each.at("column").get<std::string>()),
                   .why = "ids that were never learned have rows of their own",
                   .fix = "score tables with protium predict, or rows with protium serve"});
    }
    out.shape.categorical.push_back(each.at("column"));
    out.shape.cardinalities.push_back(each.at("cardinality"));
  }
  for (const Json& each : net.at("lists")) {
    out.lists.push_back({each.at("column"), each.at("length")});
  }
  return out;
}

Result<Value> ColumnsFeed::Numbers() {
  std::vector<Value> columns;
  const Value last = graph_.Wholes({1});
  for (const Json& column : net_.at("numeric")) {
    PT_LET(const Value number, cells_.Number(column.get<std::string>()));
    columns.push_back(graph_.Add("Unsqueeze", {graph_.As(number, kFloat), last}, kFloat));
  }
  if (columns.size() == 1) return columns.front();
  const Value joined = graph_.Add("Concat", columns, kFloat);
  graph_.With("axis", int64_t{1});
  return joined;
}

Result<Value> ColumnsFeed::Category(size_t at) {
  PT_LET(const Value index, cells_.At(net_.at("categorical")[at].at("column").get<std::string>()));
  return graph_.As(index, kWhole);
}

Result<Value> ColumnsFeed::List(size_t at) {
  const Json& list = net_.at("lists")[at];
  return cells_.List(list.at("column").get<std::string>(), list.at("length").get<int64_t>());
}

}  // namespace protium::onnx
