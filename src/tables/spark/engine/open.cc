// SPDX-License-Identifier: Apache-2.0
// Defines the symbols for which libprotium_spark.so is opened: as an engine (engine/library.h), and
// for its streams (engine/stream_query.h).
#include "spark/engine/spark_engine.h"

extern "C" bool protium_open_spark(int32_t version, const protium::EngineRequest& request,
                                   protium::Result<std::unique_ptr<protium::Engine>>& engine) {
  if (version != protium::kEngineLibraryVersion) return false;
  engine = protium::OpenSparkEngine(request);
  return true;
}

extern "C" bool protium_start_query(int32_t version, protium::Engine& engine,
                                    const protium::StreamQuerySpec& spec, const protium::Call& call,
                                    protium::Result<std::unique_ptr<protium::StreamQuery>>& query) {
  if (version != protium::kEngineLibraryVersion) return false;
  query = protium::FollowOnSpark(engine, spec, call);
  return true;
}
