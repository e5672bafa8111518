// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "image/decode.h"
#include "os/file.h"
#include "stages/batch_stage.h"
#include "stages/column_stage.h"
#include "stages/row.h"
#include "statistics/lists.h"

// PNG and JPEG files, as bytes or as paths below a folder, become lists of height x width x
// channels floats from 0 to 1, less a mean and divided by a deviation: row by row from the top
// left, with the channels of a pixel side by side, or one channel after the other. Learns nothing.
// NULL stays NULL. A picture of another size is refused, or resized by area; one that cannot be
// decoded is an error, or NULL. Spark ML has no such stage; its data source
// "image" has bytes from 0 to 255 in the order blue, green, red.

namespace protium {

EnumNames<Background> Names(Background) {
  return {
      {{Background::kNone, "none"}, {Background::kWhite, "white"}, {Background::kBlack, "black"}}};
}

namespace {

constexpr int64_t kPictures = 64;  // To decode and resize at a time.

enum class Fit { kRefuse, kArea, kInside };
EnumNames<Fit> Names(Fit) {
  return {{{Fit::kRefuse, "refuse"}, {Fit::kArea, "area"}, {Fit::kInside, "inside"}}};
}

enum class Layout { kChannelsLast, kChannelsFirst };
EnumNames<Layout> Names(Layout) {
  return {{{Layout::kChannelsLast, "channels_last"}, {Layout::kChannelsFirst, "channels_first"}}};
}

enum class ChannelOrder { kRgb, kBgr };
EnumNames<ChannelOrder> Names(ChannelOrder) {
  return {{{ChannelOrder::kRgb, "rgb"}, {ChannelOrder::kBgr, "bgr"}}};
}

enum class Damage { kError, kNull };
EnumNames<Damage> Names(Damage) { return {{{Damage::kError, "error"}, {Damage::kNull, "null"}}}; }

struct ImageOptions : ColumnOptions {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 3;
  Fit fit = Fit::kRefuse;
  Damage damaged = Damage::kError;
  std::string folder;
  Background background = Background::kNone;
  std::vector<double> mean;
  std::vector<double> deviation;
  Layout layout = Layout::kChannelsLast;
  ChannelOrder channel_order = ChannelOrder::kRgb;
  template <class Visit>
  void Fields(Visit& visit) {
    ColumnOptions::Fields(visit);
    visit("height", height, {.help = "of the picture that the net sees", .unit = "pixels"});
    visit("width", width, {.help = "of the picture that the net sees", .unit = "pixels"});
    visit("channels", channels,
          {.help = "1: grey, 3: red, green and blue", .at_least = 1, .below = 4});
    visit("fit", fit,
          {.help = "what happens to pictures of another size: refused; resized to the mean of the "
                   "area that each pixel covers; or resized so without a change of shape, in the "
                   "middle of the background"});
    visit("damaged", damaged,
          {.help = "what happens to pictures that cannot be decoded: an error, or NULL"});
    visit("folder", folder,
          {.help = "where the files are, if the column has paths: a folder that all workers can "
                   "read, absolute or below the folder of the tables; unless set, the column has "
                   "the files' bytes"});
    visit("background", background,
          {.help = "what shows through transparent pixels, and beside pictures that are fitted "
                   "inside: none is the colour that they have themselves, and black"});
    visit("mean", mean,
          {.help = "what is subtracted, from 0 to 1: one number, or one for each channel; 0 unless "
                   "set"});
    visit("deviation", deviation, {.help = "what is divided by then, likewise; 1 unless set"});
    visit("layout", layout,
          {.help = "whether the channels of a pixel are beside each other, or one channel comes "
                   "after the other, as nets of PyTorch read pictures"});
    visit("channel_order", channel_order,
          {.help = "whether red or blue comes first, as in nets that were trained with OpenCV or "
                   "Caffe; mean and deviation are in the same order"});
  }

  Status Check(const std::string& path) const {
    const auto refuse = [&](const char* key, const std::string& what, const std::string& fix) {
      return Fail({.exit = Exit::kUsage, .what = what, .where = path + "." + key, .fix = fix});
    };
    if (height < 1 || width < 1 || height * width > 1'000'000) {
      return refuse("height", "height and width must be set, to at most a million pixels in all",
                    "height = 28 and width = 28");
    }
    if (channels == 2) {
      return refuse("channels", "pictures have 1 or 3 channels", "channels = 3");
    }
    if (channels == 1 && channel_order == ChannelOrder::kBgr) {
      return refuse("channel_order", "a grey picture has one channel, and no order of them",
                    "leave channel_order out, or channels = 3");
    }
    const auto fits = [&](const std::vector<double>& numbers) {
      return numbers.size() <= 1 || int64_t(numbers.size()) == channels;
    };
    if (!fits(mean)) return refuse("mean", "one number, or one for each channel", "mean = [0.5]");
    if (!fits(deviation) || std::ranges::any_of(deviation, [](double d) { return !(d > 0); })) {
      return refuse("deviation", "one number above 0, or one for each channel",
                    "deviation = [0.5]");
    }
    return Status::OK();
  }
};

// Paths come from the table: none may leave the folder.
Result<std::string> ReadPicture(const std::filesystem::path& folder, std::string_view cell) {
  const std::filesystem::path path(cell);
  bool inside = path.is_relative();
  for (const auto& part : path) inside = inside && part != "..";
  if (!inside) {
    return Fail({.exit = Exit::kInput, .what = "a path that leads out of the folder"});
  }
  Result<std::string> file = ReadFile(folder / path);
  if (file.ok()) return file;
  return Fail({.exit = Exit::kInput,
               .what = "a picture that cannot be read",
               .why = FaultOf(file.status()).what});
}

class ImageStage : public LearnsNothing<BatchStage> {
 public:
  ImageStage(const ImageOptions& options, StageNames names)
      : LearnsNothing(std::move(names)), options_(options) {}

  std::shared_ptr<arrow::DataType> output_type(size_t) const override {
    return arrow::list(arrow::float32());
  }
  int64_t output_length(size_t) const override {
    return options_.height * options_.width * options_.channels;
  }
  int64_t rows_a_batch() const override { return kPictures; }
  Status CheckType(const arrow::DataType& type) const override {
    const bool paths = !options_.folder.empty();
    if (type.id() == (paths ? arrow::Type::STRING : arrow::Type::BINARY)) return Status::OK();
    return Status::TypeError(paths ? "text, as paths are" : "binary, as files are");
  }

  // Called in the driver, so that a model finds the pictures that lie beside new tables.
  Json OptionsFor(const std::filesystem::path& base, Json options) const override {
    if (options_.folder.empty()) return options;
    options["folder"] = std::filesystem::absolute(base / options_.folder).lexically_normal();
    return options;
  }

  Result<arrow::ArrayVector> Compute(const arrow::ArrayVector& columns) const override {
    arrow::ArrayVector outputs;
    for (size_t i = 0; i < columns.size(); ++i) {
      PT_LET(outputs.emplace_back(), ComputeOne(*columns[i], inputs()[i]));
    }
    return outputs;
  }

 private:
  Result<std::shared_ptr<arrow::Array>> ComputeOne(const arrow::Array& column,
                                                   const std::string& name) const {
    if (!CheckType(*column.type()).ok()) return Status::TypeError("pictures as bytes or paths");
    // A StringArray is a BinaryArray with valid UTF-8.
    const auto& cells = static_cast<const arrow::BinaryArray&>(column);
    std::vector<float> all(size_t(cells.length() * output_length(0)));
    std::vector<bool> valid(size_t(cells.length()));
    for (int64_t row = 0; row < cells.length(); ++row) {
      if (cells.IsNull(row)) continue;
      const Status decoded = Decode(cells.GetView(row), &all[size_t(row * output_length(0))]);
      valid[size_t(row)] = decoded.ok();
      if (!decoded.ok() && options_.damaged == Damage::kError)
        return Named(decoded, name, cells, row);
    }
    return MakeLists(all, output_length(0), valid);
  }

  Status Decode(std::string_view cell, float* to) const {
    std::string read;
    if (!options_.folder.empty()) {
      PT_LET(read, ReadPicture(options_.folder, cell));
      cell = read;
    }
    const std::span bytes(reinterpret_cast<const uint8_t*>(cell.data()), cell.size());
    PT_LET(const Image image, DecodeImage(bytes, options_.channels, options_.background));
    const bool fits = image.height == options_.height && image.width == options_.width;
    if (!fits && options_.fit == Fit::kRefuse) {
      return Fail({.exit = Exit::kInput,
                   .what = "a picture of " + std::to_string(image.width) + " x " +
                           std::to_string(image.height) + " pixels",
                   .fix = "set fit = \"area\" or \"inside\" to resize pictures"});
    }
    PutInto(Resized(image), to);
    return Status::OK();
  }

  // Without resizing each pixel is its own area, so all ways give the same result.
  std::vector<double> Resized(const Image& image) const {
    if (options_.fit != Fit::kInside) {
      return ResizeByArea(image, options_.height, options_.width);
    }
    const double plane = options_.background == Background::kWhite ? 255 : 0;
    return ResizeInside(image, options_.height, options_.width, plane);
  }

  void PutInto(const std::vector<double>& pixels, float* to) const {
    const auto channels = size_t(options_.channels), size = pixels.size() / channels;
    const auto of = [](const std::vector<double>& numbers, size_t channel, double otherwise) {
      return numbers.empty() ? otherwise : numbers[numbers.size() == 1 ? 0 : channel];
    };
    const bool reversed = options_.channel_order == ChannelOrder::kBgr;
    for (size_t channel = 0; channel < channels; ++channel) {
      const size_t decoded = reversed ? channels - 1 - channel : channel;
      const double mean = of(options_.mean, channel, 0);
      const double deviation = of(options_.deviation, channel, 1);
      for (size_t i = 0; i < size; ++i) {
        const bool first = options_.layout == Layout::kChannelsFirst;
        to[first ? channel * size + i : i * channels + channel] =
            static_cast<float>((pixels[i * channels + decoded] / 255 - mean) / deviation);
      }
    }
  }

  // Names the picture: its path, if it has one.
  Status Named(const Status& status, const std::string& column, const arrow::BinaryArray& cells,
               int64_t row) const {
    Fault fault = FaultOf(status);
    fault.exit = Exit::kInput;
    fault.what = "column \"" + column + "\" has " + fault.what;
    if (!options_.folder.empty()) fault.where = std::string(cells.GetView(row));
    if (fault.fix.empty()) fault.fix = "set damaged = \"null\" to get NULL for such pictures";
    return Fail(std::move(fault));
  }

  ImageOptions options_;
};

}  // namespace

StageRow ImageRow() {
  return MakeStageRow<ImageStage, ImageOptions>(
      "image", "decodes PNG and JPEG files to lists of numbers from 0 to 1");
}

}  // namespace protium
