// SPDX-License-Identifier: Apache-2.0
// Opens an engine by its address; engines are chosen nowhere else.
#pragma once

#include <memory>

#include "engine/engine.h"
#include "engine/library.h"
#include "frame/session_state.h"

namespace protium {

// Opens the engine that options.engine names: "local", "local[N]", "sc://host:15002". Each engine
// is a shared library beside this one, loaded here and nowhere else, so that workers and usage
// errors never load DuckDB or gRPC. On Spark, settings below engine.spark override
// options.engine_options. Fails if the library is missing or of another version, or as the engine
// itself does.
Result<std::unique_ptr<Engine>> OpenEngine(const SessionOptions& options);

// Returns the request with which OpenEngine() opens the engine.
EngineRequest RequestFor(const SessionOptions& options);

}  // namespace protium
