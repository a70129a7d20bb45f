// Addresses that the daemon can serve metrics at.
#include <serve/http_address.h>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <iotrace/error.h>
#include <netinet/in.h>
#include <string>

namespace
{

// The address as it was understood, or the message.
std::string parsed(const char *text)
{
	struct sockaddr_storage address;
	struct error err = {};
	char host[INET6_ADDRSTRLEN] = "";

	if (http_address_parse(&address, text, &err))
		return err.text;
	if (address.ss_family == AF_INET6) {
		auto *six = reinterpret_cast<struct sockaddr_in6 *>(&address);

		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
		return std::string("[") + host + "]:" + std::to_string(ntohs(six->sin6_port));
	}
	auto *four = reinterpret_cast<struct sockaddr_in *>(&address);

	inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
	return std::string(host) + ":" + std::to_string(ntohs(four->sin_port));
}

TEST(HttpAddress, PortAloneIsOfThisMachine)
{
	EXPECT_EQ(parsed("9464"), "127.0.0.1:9464");
	EXPECT_EQ(parsed(":9464"), "127.0.0.1:9464");
}

TEST(HttpAddress, MayBeOfBothFamilies)
{
	EXPECT_EQ(parsed("0.0.0.0:1"), "0.0.0.0:1");
	EXPECT_EQ(parsed("[::1]:65535"), "[::1]:65535");
	EXPECT_EQ(parsed("[fe80::2]:80"), "[fe80::2]:80");
}

TEST(HttpAddress, AnythingElseIsRefused)
{
	for (const char *text :
	     {"", ":", "x", "0", "65536", "1.2.3.4", "1.2.3.4:", "1.2.3.4:0", "localhost:80",
	      "::1:80", "[::1:80", "::1]:80", "[::1]", "[]:", "1.2.3.4:8o", " 80", "80 ", "-80",
	      "[1234567890123456789012345678901234567890123456789012345678901234567890]:1"})
		EXPECT_NE(parsed(text).find("invalid address '" + std::string(text) + "'"),
			  std::string::npos)
			<< text << ": " << parsed(text);
}

} // namespace
