// SPDX-License-Identifier: Apache-2.0
// How much of its delay does an airline make up in the air? A straight line for each airline
// through its flights, fitted by a function of ours in worker processes, on either engine:
//
//   protium example flights data
//   lines run --set data=data
#include <protium/protium.h>

namespace pt = protium;

// Least squares over the flights of one carrier: delay at arrival = offset + slope * at departure.
pt::Result<pt::RowBatch> FitLine(const pt::RowBatch& flights) {
  const auto& x = static_cast<const arrow::DoubleArray&>(*flights->GetColumnByName("left"));
  const auto& y = static_cast<const arrow::DoubleArray&>(*flights->GetColumnByName("arrived"));
  const double n = double(flights->num_rows());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int64_t i = 0; i < x.length(); ++i) {
    sx += x.Value(i), sy += y.Value(i);
    sxx += x.Value(i) * x.Value(i), sxy += x.Value(i) * y.Value(i);
  }
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  const auto column = [](double value) {
    return arrow::MakeArrayFromScalar(arrow::DoubleScalar(value), 1);
  };
  PT_LET(auto slopes, column(slope));
  PT_LET(auto offsets, column((sy - slope * sx) / n));
  return arrow::RecordBatch::Make(
      arrow::schema({flights->schema()->GetFieldByName("carrier"),
                     arrow::field("slope", arrow::float64()),
                     arrow::field("offset", arrow::float64())}),
      1, {flights->GetColumnByName("carrier")->Slice(0, 1), slopes, offsets});
}

double MilesAnHour(double miles, double minutes) { return 60 * miles / minutes; }

pt::Status Run(pt::Session& session) {
  const std::string data = session.Setting("data", "data");
  const pt::DataFrame airlines = session.Read().Csv(data + "/airlines.csv");
  const pt::DataFrame flights =
      session.Read()
          .Csv(data + "/flights.csv", {.null = "NA"})
          .Filter(!pt::IsNull(pt::Col("arr_delay")) && pt::Col("air_time") > 0)
          .Map({.task = "speed", .adds = arrow::schema({arrow::field("speed", arrow::float64())})});
  const pt::DataFrame speeds =
      flights.GroupBy({"carrier"})
          .Aggregate({{"flights", pt::CountRows()}, {"speed", pt::Avg(pt::Col("speed"))}});
  const auto number = [](const char* name) { return pt::MakeCall("cast_double", {pt::Col(name)}); };
  const pt::DataFrame fitted =
      flights
          .Project({{"carrier", pt::Col("carrier")},
                    {"left", number("dep_delay")},
                    {"arrived", number("arr_delay")}})
          .GroupBy({"carrier"})
          .Map({.task = "fit line",
                .output = arrow::schema({arrow::field("carrier", arrow::utf8()),
                                         arrow::field("slope", arrow::float64()),
                                         arrow::field("offset", arrow::float64())})},
               {pt::Asc("left"), pt::Asc("arrived")});
  return fitted.Join(speeds, {.on = {"carrier"}})
      .Join(airlines, {.on = {"carrier"}})
      .Sort({pt::Desc("slope"), pt::Asc("carrier")})
      .Write()
      .Csv("lines.csv");
}

int main(int argc, char** argv) {
  return pt::Main(argc, argv,
                  {.run = Run,
                   .tasks = {{"speed", pt::EachRow("speed", {"distance", "air_time"}, MilesAnHour)},
                             {"fit line", pt::EachGroup(FitLine)}}});
}
