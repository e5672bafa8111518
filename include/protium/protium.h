// SPDX-License-Identifier: Apache-2.0
// Everything a program needs, but for nets of its own, which are in <protium/torch.h>: tables, SQL,
// pipelines, models, tasks, events.
#pragma once

#include "protium/csv.h"
#include "protium/events.h"
#include "protium/expr.h"
#include "protium/frame.h"
#include "protium/pipeline.h"
#include "protium/session.h"
#include "protium/status.h"
#include "protium/stream.h"
#include "protium/task.h"
#include "protium/version.h"
