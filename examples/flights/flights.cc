// SPDX-License-Identifier: Apache-2.0
// Learns how late a flight lands, from what is known when it leaves the gate: the very job of
// flights.toml, as a program.
#include <protium/protium.h>

#include "flights_sql.h"  // kFlightsSql, taken from flights.toml

namespace pt = protium;

pt::Status Run(pt::Session& session) {
  const std::string data = session.Setting("data", "data");
  for (const char* table : {"flights", "weather", "planes", "airports"}) {
    session.Table(table, session.Read().Csv(data + "/" + table + ".csv", {.null = "NA"}));
  }
  session.Table("airlines", session.Read().Csv(data + "/airlines.csv"));
  const pt::Columns day = {"year", "month", "day"};
  auto [train, test] = session.Sql(kFlightsSql).Split({.by = day, .test = 0.2, .seed = 7});

  pt::Pipeline pipeline({
      pt::StringIndexer(
          {.id = "index",
           .inputs = {"airline", "origin", "dest", "part_of_day", "manufacturer", "month", "hour"},
           .unseen = pt::Unseen::kOwnIndex}),
      pt::Imputer({.id = "fill",
                   .inputs = {"temp", "dewp", "humid", "wind_dir", "wind_speed", "precip",
                              "pressure", "visib", "plane_age", "seats", "lat", "lon"},
                   .with = pt::Fill::kMedian}),
      pt::StandardScaler(
          {.id = "scale",
           .inputs = pt::Columns{"dep_delay", "distance", "week", "day_of_year", "previous_delay"} +
                     pt::OutputsOf("fill")}),
      pt::TorchEstimator(
          {.net = pt::TabularMlp({.hidden = {128, 64}, .dropout = 0.1}),
           .categorical = pt::OutputsOf("index"),
           .numeric = pt::OutputsOf("scale"),
           .label = "arr_delay",
           .label_scale = pt::Scale::kStandard,
           .loss = pt::Huber({.delta = 1}),
           .train = {.epochs = 10,
                     .batch_size = 512,
                     .shards = 4,
                     .optimizer = pt::Adam({.learning_rate = 1e-3, .weight_decay = 1e-4}),
                     .validation = {.share = 0.1, .by = day},
                     .metrics = {"rmse", "mae"},
                     .best = "rmse",
                     .keep = 3,
                     .baseline = "dep_delay",
                     .seed = 1},
           .gang = {.workers = 2}}),
  });

  PT_LET(pt::PipelineModel model, pipeline.Fit(train));
  const pt::Columns columns = {"year", "month",     "day",       "origin",
                               "dest", "dep_delay", "arr_delay", "prediction"};
  PT_TRY(model.Transform(test, columns).Select(columns).Write().Parquet("predictions.parquet"));
  return model.Save("model");
}

int main(int argc, char** argv) { return pt::Main(argc, argv, {.run = Run}); }
