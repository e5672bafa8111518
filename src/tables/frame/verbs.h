// SPDX-License-Identifier: Apache-2.0
// What the verbs of frames share: access to a table's columns while its plan is built.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/node.h"
#include "protium/frame.h"

namespace protium {

// Makes a frame of the plan that `build` makes; its error waits in the plan for the first action.
DataFrame BuildFrame(Session& session, const std::function<Result<Plan>()>& build);

// Returns the position of a column, compared without case, as in SQL. If there is none, a fault
// (kUsage): `join on "dya": the right table has no such column`.
Result<int> FindColumn(const arrow::Schema& schema, const std::string& name,
                       const std::string& verb, const std::string& table = "the table");

// Returns projections of these names, each from the column of the same name.
std::vector<NamedExpr> PlainColumns(const std::vector<std::string>& names);

// Returns all columns of `schema`, with `columns` replacing those of the same name or appended.
std::vector<NamedExpr> MergedColumns(const arrow::Schema& schema,
                                     const std::vector<NamedExpr>& columns);

// Refuses (kUsage) a name that occurs twice.
Status CheckNewNames(const std::vector<NamedExpr>& columns, const std::string& verb);

// Returns the task with its output columns: unless it states them, those of `input` and those it
// adds.
MapTask WithOutput(MapTask task, const arrow::Schema& input);

// Makes an SQL node of our own over tables of these names.
Plan SqlPlan(std::string text, std::vector<std::string> names, std::vector<Plan> inputs,
             std::string verb);

}  // namespace protium
