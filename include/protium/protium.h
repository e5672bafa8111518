// SPDX-License-Identifier: Apache-2.0
// The door: tables, SQL, pipelines, models. Implemented by the rooms frame, learn and app.
#pragma once

#include "base/fault.h"
#include "base/json.h"
#include "base/status.h"
#include "frame/program.h"
#include "frame/session.h"
#include "gang/task.h"
#include "learn/catalogue.h"
#include "learn/pipeline.h"
#include "learn/stages.h"
#include "plan/expr.h"
#include "plan/node.h"
