// SPDX-License-Identifier: Apache-2.0
#include "trees/forest_file.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

template <class T>
NamedTensor TensorOf(const char* name, const char* dtype, const std::vector<T>& values) {
  return {name, dtype, {int64_t(values.size())}, std::as_bytes(std::span(values))};
}

// Reads the tensors of a file; the first that is missing or of another type is the fault.
class Reader {
 public:
  Reader(const Safetensors& file, const std::string& where) : file_(file), where_(where) {}

  Status Bad(const std::string& what) const {
    return Fail({.exit = Exit::kInput,
                 .what = "the file of the forest is damaged: " + what,
                 .where = where_});
  }
  // A copy, since data in the file may be unaligned.
  template <class T>
  Status Read(const char* name, const char* dtype, std::vector<T>& out) const {
    const NamedTensor* const tensor = file_.Find(name);
    if (tensor == nullptr) return Bad(fmt::format("it has no tensor {}", name));
    if (tensor->dtype != dtype) {
      return Bad(fmt::format("the tensor {} is {}, not {}", name, tensor->dtype, dtype));
    }
    out.resize(tensor->data.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), tensor->data.data(), out.size() * sizeof(T));
    return Status::OK();
  }
  // Whether the lengths are not negative and add up to `total`.
  Status Parts(const char* name, const std::vector<int64_t>& lengths, size_t total) const {
    size_t left = total;
    for (const int64_t length : lengths) {
      if (length < 0 || size_t(length) > left) return Bad(fmt::format("{} is too large", name));
      left -= size_t(length);
    }
    return left == 0 ? Status::OK() : Bad(fmt::format("{} is too small", name));
  }

 private:
  const Safetensors& file_;
  const std::string& where_;
};

// The nodes of all trees, field by field.
struct NodeFields {
  std::vector<int32_t> column, left, set;
  std::vector<float> threshold, value, gain;
  std::vector<uint8_t> missing_left;
  std::vector<double> cover;

  Status Read(const Reader& reader) {
    PT_TRY(reader.Read("column", "I32", column));
    PT_TRY(reader.Read("left", "I32", left));
    PT_TRY(reader.Read("set", "I32", set));
    PT_TRY(reader.Read("threshold", "F32", threshold));
    PT_TRY(reader.Read("value", "F32", value));
    PT_TRY(reader.Read("gain", "F32", gain));
    PT_TRY(reader.Read("missing_left", "U8", missing_left));
    PT_TRY(reader.Read("cover", "F64", cover));
    for (const size_t length : {left.size(), set.size(), threshold.size(), value.size(),
                                gain.size(), missing_left.size(), cover.size()}) {
      if (length != column.size()) return reader.Bad("nodes have fields of different lengths");
    }
    return Status::OK();
  }
  TreeNode At(size_t i) const {
    return {column[i], left[i], threshold[i], set[i], missing_left[i] != 0,
            value[i],  gain[i], cover[i]};
  }
};

}  // namespace

ForestTensors::ForestTensors(const Forest& forest) : base_(forest.base) {
  for (const Tree& tree : forest.trees) {
    tree_nodes_.push_back(int64_t(tree.nodes.size()));
    tree_sets_.push_back(int64_t(tree.sets.size()));
    sets_.insert(sets_.end(), tree.sets.begin(), tree.sets.end());
    for (const TreeNode& node : tree.nodes) {
      column_.push_back(node.column);
      left_.push_back(node.left);
      threshold_.push_back(node.threshold);
      set_.push_back(node.set);
      missing_left_.push_back(node.missing_left ? 1 : 0);
      value_.push_back(node.value);
      gain_.push_back(node.gain);
      cover_.push_back(node.cover);
    }
  }
}

std::vector<NamedTensor> ForestTensors::tensors() const {
  return {TensorOf("base", "F32", base_),
          TensorOf("column", "I32", column_),
          TensorOf("cover", "F64", cover_),
          TensorOf("gain", "F32", gain_),
          TensorOf("left", "I32", left_),
          TensorOf("missing_left", "U8", missing_left_),
          TensorOf("set", "I32", set_),
          TensorOf("sets", "U32", sets_),
          TensorOf("threshold", "F32", threshold_),
          TensorOf("tree_nodes", "I64", tree_nodes_),
          TensorOf("tree_sets", "I64", tree_sets_),
          TensorOf("value", "F32", value_)};
}

Result<Forest> ForestOf(const Safetensors& file, std::vector<ForestColumn> columns,
                        const std::string& where) {
  const Reader reader(file, where);
  Forest forest{.columns = std::move(columns)};
  NodeFields nodes;
  std::vector<int64_t> tree_nodes, tree_sets;
  std::vector<uint32_t> sets;
  PT_TRY(reader.Read("base", "F32", forest.base));
  PT_TRY(reader.Read("tree_nodes", "I64", tree_nodes));
  PT_TRY(reader.Read("tree_sets", "I64", tree_sets));
  PT_TRY(reader.Read("sets", "U32", sets));
  PT_TRY(nodes.Read(reader));
  if (tree_nodes.size() != tree_sets.size()) return reader.Bad("trees differ in number");
  PT_TRY(reader.Parts("tree_nodes", tree_nodes, nodes.column.size()));
  PT_TRY(reader.Parts("tree_sets", tree_sets, sets.size()));
  size_t node = 0, set = 0;
  for (size_t t = 0; t < tree_nodes.size(); ++t) {
    Tree& tree = forest.trees.emplace_back();
    for (const size_t end = node + size_t(tree_nodes[t]); node < end; ++node) {
      tree.nodes.push_back(nodes.At(node));
    }
    const size_t end = set + size_t(tree_sets[t]);
    tree.sets.assign(sets.begin() + ptrdiff_t(set), sets.begin() + ptrdiff_t(end));
    set = end;
  }
  const Status checked = CheckForest(forest);
  return checked.ok() ? Result<Forest>(std::move(forest)) : reader.Bad(FaultOf(checked).what);
}

}  // namespace protium
