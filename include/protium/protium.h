// SPDX-License-Identifier: Apache-2.0
// Everything a program needs: tables, SQL, pipelines, models, tasks, events. Only nets, losses and
// metrics of its own need <protium/torch.h> as well.
#pragma once

#include "protium/csv.h"
#include "protium/elements.h"
#include "protium/events.h"
#include "protium/expr.h"
#include "protium/frame.h"
#include "protium/functions.h"
#include "protium/pipeline.h"
#include "protium/ranks.h"
#include "protium/runner.h"
#include "protium/scorer.h"
#include "protium/search.h"
#include "protium/session.h"
#include "protium/status.h"
#include "protium/stream.h"
#include "protium/task.h"
#include "protium/version.h"
