// SPDX-License-Identifier: Apache-2.0
// What a packed row consists of: a list of fields, which determines its width, its order and every
// offset. Equal lists make equal bytes of equal rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protium/fields.h"

namespace protium {

enum class RowRole { kFeature, kLabel, kWeight, kGroup };
inline EnumNames<RowRole> Names(RowRole) {
  return {{{RowRole::kFeature, "feature"},
           {RowRole::kLabel, "label"},
           {RowRole::kWeight, "weight"},
           {RowRole::kGroup, "group"}}};
}

// What takes 64 bits lies on a multiple of 4 bytes, as everything in a row does. An identity is the
// same for equal cells: a whole number or the days of a date itself, the hash XXH3-64 of a text.
enum class RowElement { kFloat32, kInt32, kFloat64, kIdentity64 };
inline EnumNames<RowElement> Names(RowElement) {
  return {{{RowElement::kFloat32, "float32"},
           {RowElement::kInt32, "int32"},
           {RowElement::kFloat64, "float64"},
           {RowElement::kIdentity64, "identity64"}}};
}

// A cell x becomes float32((y - mean) / deviation), computed in double; y is x, or StrictLog1p(x)
// of base/strict_math.h if `log1p`.
struct ElementScale {
  double mean = 0;
  double deviation = 1;
  bool log1p = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("mean", mean);
    visit("deviation", deviation);
    visit("log1p", log1p);
  }
};

// Elements of one type that lie side by side in a row.
struct RowField {
  std::string name;
  RowRole role = RowRole::kFeature;
  RowElement element = RowElement::kFloat32;
  std::vector<std::string> columns;  // Each is one element; none: one element, `fill`.
  std::vector<std::string> from;     // Where to read cells, one per column; empty: itself.
  int64_t list_length = 0;           // Above 0: one column of lists, each with this many elements.
  std::vector<ElementScale> scales;  // One per column; empty: cells as they are.
  double fill = 0;
  // Cells may be missing: NULL and NaN become the quiet NaN 0x7fc00000, infinities stay, and a
  // category that is NULL becomes kMissingCategory. Other fields refuse all of these, but for the
  // identities of features: NULL has that of the empty text.
  bool missing = false;
  int64_t offset = 0;  // In bytes, from the beginning of the row; set by RowSchema.

  int64_t elements() const;
  bool wide() const {
    return element == RowElement::kFloat64 || element == RowElement::kIdentity64;
  }
  int64_t element_bytes() const { return wide() ? 8 : 4; }
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("role", role);
    visit("element", element);
    visit("columns", columns);
    visit("from", from);
    visit("list_length", list_length);
    visit("scales", scales);
    visit("fill", fill);
    visit("offset", offset);
  }
};

inline constexpr int32_t kMissingCategory = -1;

// The fields that most rows have.
inline constexpr std::string_view kNumericField = "numeric";
inline constexpr std::string_view kLabelField = "label";
inline constexpr std::string_view kWeightField = "weight";
inline constexpr std::string_view kCategoriesField = "categories";
inline constexpr std::string_view kIdsField = "identities";
inline constexpr std::string_view kGroupField = "group";
// For rows that are measured (WithOwnLabels()).
inline constexpr std::string_view kOwnLabelField = "own_label";
inline constexpr std::string_view kScaleField = "scale";
// Whether it is one of those above; other fields have the names of columns of lists.
bool IsFieldOfMostRows(std::string_view name);

// Fields without gaps, in the order they were added; little-endian.
class RowSchema {
 public:
  void Add(RowField field);
  const std::vector<RowField>& fields() const { return fields_; }
  const RowField* Find(std::string_view name) const;  // nullptr: none.
  int64_t width() const { return width_; }            // In bytes.
  Json ToJson() const;

 private:
  std::vector<RowField> fields_;
  int64_t width_ = 0;
};

struct LabelColumn {
  std::string column;
  ElementScale scale;
};

// A number that packing computes from another column.
struct ScaledColumn {
  std::string column;
  std::string from;
  ElementScale scale;
};

struct ListColumn {
  std::string column;
  int64_t length = 0;
  RowElement element = RowElement::kFloat32;
};

// The columns of a table by their role for a net.
struct RowColumns {
  std::vector<std::string> numeric;  // Integers, floats or booleans; doubles are cast to float32.
  std::vector<ScaledColumn> scaled;  // Those of `numeric` that the table does not have.
  std::vector<LabelColumn> labels;   // Numbers; if empty, the label is 0.
  std::string class_label;           // Instead of `labels`: the integer index of a class.
  std::string weight;                // Empty: 1.
  std::string group;                 // Texts, integers or dates; empty: there are no groups.
  std::vector<std::string> categories;  // Integers.
  std::vector<std::string> ids;         // Texts or integers, as identities.
  std::vector<ListColumn> lists;        // Each becomes a field of the same name.
  bool missing = false;  // Of `numeric`, `scaled` and `categories` (RowField::missing).
};

// Makes the fields numeric, label, weight, categories, ids, lists, then group. The order is part of
// docs/rows.md: keys of rows, and with them the weights of trainings, depend on it.
RowSchema MakeRowSchema(const RowColumns& columns);

// Returns the same rows with numeric labels repeated at the end, as doubles on their own scale: a
// float32 cannot be scaled back to the exact label, not even to 0. Behind them come the columns
// `scales`, doubles that metrics of series divide by (metrics/seasons.h).
RowSchema WithOwnLabels(RowSchema rows, const std::vector<std::string>& scales = {});

}  // namespace protium
