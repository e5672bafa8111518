// SPDX-License-Identifier: Apache-2.0
// Earlier rows for stages that read them (stages/history_stage.h). In training they are applied to
// all rows of the table at once, before some are held out. A model keeps the last rows of each
// group, as many as its stages read; rows to score are put behind them.
#pragma once

#include "pipeline/chain.h"

namespace protium {

// Whether a stage of the chain reads earlier rows.
bool ReadsHistory(const Chain& chain);

// The columns that such stages add, in the order of the stages.
Columns HistoryOutputs(const Chain& chain);

// The stages whose outputs predictions are made of, directly or through other stages. Others of a
// chain with an estimator only measure predictions, as baselines do.
std::vector<const HistoryStage*> HistoryPredictionsRead(const Chain& chain);

// Adds these columns to `rows`, whose columns are `columns`. Appends their names to `columns`.
Plan ApplyHistory(const Chain& chain, Plan rows, Columns& columns);

// The rows among `rows`, all of a table, that a model keeps, with the columns that the stages read.
Plan RowsToKeep(const Chain& chain, const Plan& rows);

// Adds the outputs to rows to score, whose columns are `columns`, as ApplyHistory() does; `history`
// are kept rows. Given rows count instead of kept ones from the first time of their group on, so
// rows that a model has seen may be scored. Where `rows` lacks a column whose earlier values are
// read, it counts as NULL. Rows come out by group and time.
Plan BehindHistory(const Chain& chain, const Plan& rows, Columns& columns, const Plan& history);

}  // namespace protium
