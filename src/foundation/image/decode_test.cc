// SPDX-License-Identifier: Apache-2.0
// The pictures are small files in hexadecimal, made once with Pillow 11 (each with its command) or
// cut and altered by the tests.
#include "image/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "image/encode.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<uint8_t> FromHex(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// Image.new("RGB", (2, 2)).putdata([(255, 0, 0), (0, 255, 0), (0, 0, 255), (10, 20, 30)])
constexpr const char* kRgb =
    "89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a730000001649444154789c63"
    "f8cfc0c0f09f818181e13f97881c001a58033a82e0ab530000000049454e44ae426082";

// Image.new("1", (3, 2)).putdata([255, 0, 0, 255, 255, 0])
constexpr const char* kOneBit =
    "89504e470d0a1a0a0000000d4948445200000003000000020100000000b50f5bb70000000c49444154789c63"
    "686038000002440141e8a108070000000049454e44ae426082";

// Image.new("P", (2, 1)) with the colours 1, 2, 3 and 200, 100, 50
constexpr const char* kPalette =
    "89504e470d0a1a0a0000000d4948445200000002000000010103000000ceecedc900000006504c5445010203"
    "c8643250b4ae3f0000000a49444154789c63700000004200412937f4ef0000000049454e44ae426082";

// Image.new("I;16", (3, 1)).putdata([0, 0x8080, 0xffff])
constexpr const char* kSixteenBit =
    "89504e470d0a1a0a0000000d49484452000000030000000110000000006e1b972b0000000f49444154789c63"
    "60606868f8ff1f00068402ff4660deb60000000049454e44ae426082";

// Image.new("RGBA", (1, 1)).putdata([(9, 8, 7, 128)])
constexpr const char* kAlpha =
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63"
    "e0e4606f000000cf0099ecee650b0000000049454e44ae426082";

// Image.new("L", (2, 2)).putdata([0, 80, 160, 240]), quality=90
constexpr const char* kJpegGrey =
    "ffd8ffe000104a46494600010100000100010000ffdb00430003020203020203030303040303040508050504"
    "04050a070706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f1718161418121415"
    "14ffc0000b080002000201011100ffc4001f0000010501010101010100000000000000000102030405060708"
    "090a0bffc400b5100002010303020403050504040000017d0102030004110512213141061351610722711432"
    "8191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a43444546474849"
    "4a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3"
    "a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9ea"
    "f1f2f3f4f5f6f7f8f9faffda0008010100003f00fb6fc0ff00043e1cff00c217a07fc501e17ff907dbff00cc"
    "1adbfe79affb15ffd9";

// Image.new("RGB", (2, 2)), quality=90, subsampling=0
constexpr const char* kJpegRgb =
    "ffd8ffe000104a46494600010100000100010000ffdb00430003020203020203030303040303040508050504"
    "04050a070706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f1718161418121415"
    "14ffdb00430103040405040509050509140d0b0d141414141414141414141414141414141414141414141414"
    "1414141414141414141414141414141414141414141414141414ffc000110800020002030111000211010311"
    "01ffc4001f0000010501010101010100000000000000000102030405060708090a0bffc400b5100002010303"
    "020403050504040000017d01020300041105122131410613516107227114328191a1082342b1c11552d1f024"
    "33627282090a161718191a25262728292a3435363738393a434445464748494a535455565758595a63646566"
    "6768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7"
    "b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9faffc400"
    "1f0100030101010101010101010000000000000102030405060708090a0bffc400b511000201020404030407"
    "05040400010277000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a"
    "162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a63646566676869"
    "6a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9"
    "bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9faffda000c030100"
    "02110311003f00f87e5f10eaa2470353bc0013c09dff00c6bfd098704f0b72aff84bc3ff00e09a7ffc89ccf8"
    "b788afff00231aff00f836a7ff00247fffd9";

// Image.new("CMYK", (2, 2))
constexpr const char* kJpegCmyk =
    "ffd8ffee000e41646f626500640000000000ffdb004300080606070605080707070909080a0c140d0c0b0b0c"
    "1912130f141d1a1f1e1d1a1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ff"
    "c000140800020002044311004d11005911004b1100ffc4001f00000105010101010101000000000000000001"
    "02030405060708090a0bffc400b5100002010303020403050504040000017d01020300041105122131410613"
    "516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a"
    "434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495"
    "969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3"
    "e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9faffda000e0443004d0059004b00003f00f7faf7faf7faf7faffd9";

// IHDR of 30,000 x 30,000, an empty IDAT and IEND
constexpr const char* kHugePng =
    "89504e470d0a1a0a0000000d4948445200007530000075300802000000e9456fed000000004944415435af06"
    "1e0000000049454e44ae426082";

// kJpegGrey with 30,000 x 30,000 in its frame header
constexpr const char* kHugeJpeg =
    "ffd8ffe000104a46494600010100000100010000ffdb00430003020203020203030303040303040508050504"
    "04050a070706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f1718161418121415"
    "14ffc0000b087530753001011100ffc4001f0000010501010101010100000000000000000102030405060708"
    "090a0bffc400b5100002010303020403050504040000017d0102030004110512213141061351610722711432"
    "8191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a43444546474849"
    "4a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3"
    "a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9ea"
    "f1f2f3f4f5f6f7f8f9faffda0008010100003f00fb6fc0ff00043e1cff00c217a07fc501e17ff907dbff00cc"
    "1adbfe79affb15ffd9";

// Two pixels: (10, 20, 30) that is transparent, and (100, 0, 50) that half is.
constexpr const char* kSeeThrough =
    "89504e470d0a1a0a0000000d4948445200000002000000010806000000f4227f8a0000001149444154789c63"
    "e01291634861306a0000040d015358af9a780000000049454e44ae426082";

// The same in grey of 16 bits: 0x8000 that is transparent, and 0x4000 that is not.
constexpr const char* kWideSeeThrough =
    "89504e470d0a1a0a0000000d49484452000000020000000110040000000ebb6b420000001149444154789c63"
    "686060607060f8ff1f00080602bf3a99a8080000000049454e44ae426082";

std::vector<int> Pixels(const std::string& hex, int64_t channels) {
  const auto image = DecodeImage(FromHex(hex), channels);
  EXPECT_TRUE(image.ok()) << image.status();
  if (!image.ok()) return {};
  return {image->pixels.begin(), image->pixels.end()};
}

Fault FaultOfDecoding(const std::vector<uint8_t>& bytes) {
  return FaultOf(DecodeImage(bytes, 3).status());
}

TEST(DecodeImage, ReadsColoursAndTheirLuma) {
  EXPECT_THAT(Pixels(kRgb, 3), ElementsAre(255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30));
  EXPECT_THAT(Pixels(kRgb, 1), ElementsAre(76, 150, 29, 18));
}

TEST(DecodeImage, ExpandsBitsPalettesAndDepths) {
  EXPECT_THAT(Pixels(kOneBit, 1), ElementsAre(255, 0, 0, 255, 255, 0));
  EXPECT_THAT(Pixels(kOneBit, 3),
              ElementsAre(255, 255, 255, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 0));
  EXPECT_THAT(Pixels(kPalette, 3), ElementsAre(1, 2, 3, 200, 100, 50));
  EXPECT_THAT(Pixels(kSixteenBit, 1), ElementsAre(0, 128, 255));
  EXPECT_THAT(Pixels(kAlpha, 3), ElementsAre(9, 8, 7));
}

TEST(DecodeImage, LaysTransparentPixelsOnABackground) {
  const auto on = [](const char* png, Background background) {
    return DecodeImage(FromHex(png), 1, background)->pixels;
  };
  // Nothing of a transparent pixel is seen, and half of the other: 128 of 255.
  const auto white = DecodeImage(FromHex(kSeeThrough), 3, Background::kWhite);
  EXPECT_THAT(white->pixels, ElementsAre(255, 255, 255, 177, 127, 152));
  const auto black = DecodeImage(FromHex(kSeeThrough), 3, Background::kBlack);
  EXPECT_THAT(black->pixels, ElementsAre(0, 0, 0, 50, 0, 25));
  EXPECT_THAT(Pixels(kSeeThrough, 3), ElementsAre(10, 20, 30, 100, 0, 50));
  EXPECT_THAT(on(kWideSeeThrough, Background::kWhite), ElementsAre(255, 64));
  EXPECT_THAT(on(kWideSeeThrough, Background::kBlack), ElementsAre(0, 64));
  EXPECT_THAT(on(kSixteenBit, Background::kWhite), ElementsAre(0, 128, 255));
}

TEST(ResizeInside, KeepsTheShapeInTheMiddleOfAPlane) {
  const Image wide{.height = 1, .width = 2, .channels = 1, .pixels = {10, 30}};
  EXPECT_THAT(ResizeInside(wide, 4, 4, 7),
              ElementsAre(7, 7, 7, 7, 10, 10, 30, 30, 10, 10, 30, 30, 7, 7, 7, 7));
  EXPECT_THAT(ResizeInside(wide, 2, 1, 7), ElementsAre(20, 7));
  EXPECT_THAT(ResizeInside(wide, 1, 2, 7), ElementsAre(10, 30));
  const Image tall{.height = 3, .width = 1, .channels = 1, .pixels = {1, 2, 3}};
  EXPECT_THAT(ResizeInside(tall, 3, 4, 0), ElementsAre(0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0));
}

// The pixels that Pillow decodes, which uses the same library.
TEST(DecodeImage, ReadsJpegs) {
  EXPECT_THAT(Pixels(kJpegGrey, 1), ElementsAre(0, 79, 160, 240));
  EXPECT_THAT(Pixels(kJpegRgb, 3), ElementsAre(246, 19, 12, 241, 16, 14, 13, 18, 242, 6, 13, 243));
}

TEST(DecodeImage, RefusesFourInks) {
  EXPECT_EQ(FaultOfDecoding(FromHex(kJpegCmyk)).what, "a JPEG of four inks (CMYK)");
}

// The header alone says 30,000 x 30,000; no pixels follow that could be decoded.
TEST(DecodeImage, RefusesHugeHeadersBeforeDecoding) {
  EXPECT_THAT(FaultOfDecoding(FromHex(kHugePng)).what, HasSubstr("30000 x 30000 pixels"));
  EXPECT_THAT(FaultOfDecoding(FromHex(kHugeJpeg)).what, HasSubstr("30000 x 30000 pixels"));
}

TEST(DecodeImage, RefusesEveryCutAndManyBentFiles) {
  for (const char* hex : {kRgb, kPalette, kJpegRgb}) {
    const std::vector<uint8_t> whole = FromHex(hex);
    for (size_t size = 0; size + 2 < whole.size(); ++size) {
      const std::vector<uint8_t> cut(whole.begin(), whole.begin() + long(size));
      EXPECT_EQ(FaultOfDecoding(cut).exit, Exit::kInput) << hex << " cut at " << size;
    }
    // Anything but a crash will do: not every byte is covered by a checksum.
    for (size_t at = 0; at < whole.size(); ++at) {
      std::vector<uint8_t> bent = whole;
      bent[at] = static_cast<uint8_t>(bent[at] ^ 0x55);
      const auto image = DecodeImage(bent, 3);
      if (image.ok()) continue;
      EXPECT_EQ(FaultOf(image.status()).exit, Exit::kInput) << at;
    }
  }
  EXPECT_THAT(FaultOfDecoding({}).what, HasSubstr("without bytes"));
  EXPECT_THAT(FaultOfDecoding(FromHex("474946383961")).what, HasSubstr("neither a PNG nor a JPEG"));
}

TEST(EncodePng, WritesWhatIsDecodedAgain) {
  for (const int64_t channels : {1, 3}) {
    Image image{.height = 5, .width = 7, .channels = channels};
    for (int i = 0; i < 35 * channels; ++i) image.pixels.push_back(uint8_t(i * 7));
    const std::string file = EncodePng(image).ValueOrDie();
    const Image read =
        DecodeImage({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, channels)
            .ValueOrDie();
    EXPECT_EQ(read.height, 5);
    EXPECT_EQ(read.width, 7);
    EXPECT_EQ(read.pixels, image.pixels);
  }
}

TEST(ResizeByArea, AveragesWhatAPixelCovers) {
  const Image image{.height = 2, .width = 3, .channels = 1, .pixels = {0, 30, 60, 90, 120, 150}};
  EXPECT_THAT(ResizeByArea(image, 1, 1), ElementsAre(75));
  EXPECT_THAT(ResizeByArea(image, 2, 3), ElementsAre(0, 30, 60, 90, 120, 150));
  EXPECT_THAT(ResizeByArea(image, 1, 2), ElementsAre(55, 95));
  EXPECT_THAT(ResizeByArea(image, 2, 6),
              ElementsAre(0, 0, 30, 30, 60, 60, 90, 90, 120, 120, 150, 150));
}

}  // namespace
}  // namespace protium
