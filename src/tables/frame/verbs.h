// SPDX-License-Identifier: Apache-2.0
// What the verbs of frames share: looking at the columns of a table while its plan is built.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/node.h"
#include "protium/frame.h"

namespace protium {

// A frame of the plan that `build` makes; an error of it waits in the plan for the first action.
DataFrame BuildFrame(Session& session, const std::function<Result<Plan>()>& build);

// The position of a column, found by its letters without their case, as SQL finds it. If there is
// none, a fault (kUsage): `join on "dya": the right table has no such column`.
Result<int> FindColumn(const arrow::Schema& schema, const std::string& name,
                       const std::string& verb, const std::string& table = "the table");

// Projections of these names, each from the column of the same name.
std::vector<NamedExpr> PlainColumns(const std::vector<std::string>& names);

// All columns of `schema` with `columns` put over and behind them.
std::vector<NamedExpr> MergedColumns(const arrow::Schema& schema,
                                     const std::vector<NamedExpr>& columns);

// Refuses (kUsage) a name that is there twice.
Status CheckNewNames(const std::vector<NamedExpr>& columns, const std::string& verb);

// The task with the columns that it gives: unless it says otherwise, those of `input` and those it
// adds.
MapTask WithOutput(MapTask task, const arrow::Schema& input);

// An SQL node of our own over tables of these names.
Plan SqlPlan(std::string text, std::vector<std::string> names, std::vector<Plan> inputs,
             std::string verb);

}  // namespace protium
