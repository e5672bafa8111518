// SPDX-License-Identifier: Apache-2.0
#include "objects/signature.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

// The examples of "Signature Calculations for the Authorization Header" in Amazon's API reference.
const S3Access kExample{.key = "AKIAIOSFODNN7EXAMPLE",
                        .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};

TEST(Signature, IsThatOfAmazonsExampleOfAGet) {
  S3Request request{
      .method = "GET",
      .path = "/test.txt",
      .headers = {{"host", "examplebucket.s3.amazonaws.com"}, {"range", "bytes=0-9"}}};
  SignRequest(kExample, "", "20130524T000000Z", request);
  EXPECT_TRUE(request.headers["authorization"].ends_with(
      "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"))
      << request.headers["authorization"];
}

TEST(Signature, IsThatOfAmazonsExampleOfAPut) {
  S3Request request{.method = "PUT",
                    .path = "/test%24file.text",
                    .headers = {{"host", "examplebucket.s3.amazonaws.com"},
                                {"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                {"x-amz-storage-class", "REDUCED_REDUNDANCY"}}};
  SignRequest(kExample, "Welcome to Amazon S3.", "20130524T000000Z", request);
  EXPECT_TRUE(request.headers["authorization"].ends_with(
      "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
      << request.headers["authorization"];
}

TEST(Signature, OfATokenIsOneOverTheToken) {
  S3Access access = kExample;
  access.token = "expires";
  S3Request request{.method = "PUT", .path = "/a", .headers = {{"host", "h"}}};
  SignRequest(access, "", "20130524T000000Z", request);
  EXPECT_NE(request.headers["authorization"].find(
                "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"),
            std::string::npos);
}

}  // namespace
}  // namespace protium
