//! Formats of strings, which validators check where they are told to.

use restwright_schema::{Format, SchemaObject};

use super::{Rule, rule};

pub(super) fn rules() -> Vec<Rule> {
    vec![
        rule("format/date", SchemaObject::date())
            .accepts(r#""1963-06-19" | "2020-01-31" | "2021-02-28" | "2020-02-29" | "2020-04-30""#)
            .rejects(r#""2020-01-32" | "2021-02-29" | "2020-02-30" | "2020-04-31" | "2020-13-01" | "06/19/1963""#)
            .rejects(r#""2013-350" | "1998-1-20" | "1998-01-1" | "1998-13-01" | "1998-04-31" | "2021-02-00" | "2021-00-01""#)
            .rejects(r#""1963-06-1৪" | "20230328" | "2023-W01" | "2023-W13-2" | "2022W527" | "" | " 2020-01-01" | 12"#),
        rule("format/date-time", SchemaObject::date_time())
            .accepts(r#""1963-06-19T08:30:06.283185Z" | "1963-06-19T08:30:06Z" | "1937-01-01T12:00:27.87+00:20""#)
            .accepts(r#""1990-12-31T15:59:50.123-08:00" | "1963-06-19t08:30:06.283185z""#)
            .rejects(r#""1990-02-31T15:59:59.123-08:00" | "1990-12-31T15:59:59-24:00" | "06/19/1963 08:30:06 PST""#)
            .rejects(r#""2013-350T01:01:01" | "1963-6-19T08:30:06.283185Z" | "1963-06-1T08:30:06.283185Z" | "1963-06-1৪T00:00:00Z""#)
            .rejects(r#""1963-06-11T0৪:00:00Z" | "1990-12-31T23:59:61Z" | "+11963-06-19T08:30:06.283185Z" | "2020-01-01T00:00:00" | """#),
        rule("format/uuid", SchemaObject::uuid())
            .accepts(r#""2EB8AA08-AA98-11EA-B4AA-73B441D16380" | "2eb8aa08-aa98-11ea-b4aa-73b441d16380""#)
            .accepts(r#""2eb8aa08-AA98-11ea-B4Aa-73B441D16380" | "00000000-0000-0000-0000-000000000000""#)
            .accepts(r#""98d80576-482e-427f-8434-7f86890ab222" | "99c17cbb-656f-564a-940f-1a4568f03487""#)
            .accepts(r#""99c17cbb-656f-664a-940f-1a4568f03487" | "99c17cbb-656f-f64a-940f-1a4568f03487""#)
            .rejects(r#""2eb8aa08-aa98-11ea-b4aa-73b441d1638" | "2eb8aa08-aa98-11ea-73b441d16380" | "2eb8aa08aa9811eab4aa73b441d16380""#)
            .rejects(r#""2eb8aa08aa98-11ea-b4aa73b441d16380" | "2eb8-aa08-aa98-11ea-b4aa73b44-1d16380" | "2eb8aa08-aa98-11ea-b4ga-73b441d16380""#)
            .rejects(r#""2eb8aa08-aa98-11ea-b4aa-73b441d16380\n" | """#),
        rule("format/ipv4", SchemaObject::string().format(Format::IPV4))
            .accepts(r#""192.168.0.1" | "87.10.0.1" | "0.0.0.0" | "255.255.255.255""#)
            .rejects(r#""127.0.0.0.1" | "256.256.256.256" | "127.0" | "0x7f000001" | "2130706433" | "087.10.0.1" | "1২7.0.0.1""#)
            .rejects(r#""192.168.1.0/24" | " 127.0.0.1" | """#),
        rule("format/ipv6", SchemaObject::string().format(Format::IPV6))
            .accepts(r#""::1" | "::abef" | "::" | "::42:ff:1" | "d6::" | "1:d6::42" | "1::d6:192.168.0.1" | "1:2::192.168.0.1""#)
            .accepts(r#""::ffff:192.168.0.1" | "1:2:3:4:5:6:7:8" | "1:2:3:4:5:6:1.2.3.4""#)
            .rejects(r#""12345::" | "::laptop" | "1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1" | ":2:3:4:5:6:7:8" | "1:2:3:4:5:6:7:" | ":2:3:4::8""#)
            .rejects(r#""1::d6::42" | "1::2:192.168.256.1" | "1::2:192.168.ff.1" | "::ffff:192.168.0" | "1:2:3:4:5:::8" | "1:2:3:4:5:6:7" | "1" | "127.0.0.1""#)
            .rejects(r#""1:2:3:4:1.2.3" | "  ::1" | "::1  " | "fe80::/64" | "fe80::a%eth1" | "1:2:3:4:5:6:7:৪" | "1:2::192.16৪.0.1""#),
        rule("optional/content", SchemaObject::string().format(Format::BASE64))
            .accepts(r#""" | "Zg==" | "Zm8=" | "Zm9v" | "Zm9vYg==" | "Zm9vYmE=" | "Zm9vYmFy" | "+/+/""#)
            .rejects(r#""Zg" | "Zg=" | "Zh==" | "Zm9=" | "Zm9v=" | "====" | "=" | "Z===" | "Zm9v\n" | "-_-_" | "Zm 9v" | "eyJ%a""#),
        rule("format/hostname", SchemaObject::string().format(Format::HOSTNAME))
            .accepts(r#""www.example.com" | "xn--4gbwdl.xn--wgbh1c" | "hostname" | "host-name" | "h0stn4me" | "1host" | "hostnam3""#)
            .accepts(r#""abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk.com""#)
            .rejects(r#""-a-host-name-that-starts-with--" | "not_a_valid_host_name" | "-hostname" | "hostname-" | "_hostname" | "hostname_" | "host_name""#)
            .rejects(r#""abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl.com" | "." | "a..b" | ".example" | "" | "hostname．com""#),
        rule("format/email", SchemaObject::string().format(Format::EMAIL))
            .accepts(r#""joe.bloggs@example.com" | "te~st@example.com" | "~test@example.com" | "test~@example.com" | "te.s.t@example.com""#)
            .rejects(r#""2962" | ".test@example.com" | "test.@example.com" | "te..st@example.com" | "joe.bloggs@invalid=domain.com""#)
            .rejects(r#""\"joe bloggs\"@example.com" | "\"joe..bloggs\"@example.com" | "\"joe@bloggs\"@example.com" | "joe.bloggs@[127.0.0.1]" | """#),
        rule("format/uri", SchemaObject::string().format(Format::URI))
            .accepts(r#""http://foo.bar/?baz=qux#quuz" | "http://foo.com/blah_(wikipedia)_blah#cite-1" | "http://foo.bar/?q=Test%20URL-encoded%20stuff""#)
            .accepts(r#""http://xn--nw2a.xn--j6w193g/" | "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com" | "http://223.255.255.254""#)
            .accepts(r#""https://example.org/foobar\u0027.txt""#)
            .rejects(r#""//foo.bar/?baz=qux#quuz" | "/abc" | "\\\\WINDOWS\\fileshare" | "abc" | "http:// shouldfail.com" | ":// should fail" | "bar,baz:foo""#)
            .rejects(r#""https://example.org/foobar\"" | "https://example.org/foobar<>.txt" | "https://example.org/foobar\\.txt" | "https://[@example.org/""#)
            .rejects(r#""ftp://ftp.is.co.za/rfc/rfc1808.txt" | "ldap://[2001:db8::7]/c=GB?objectClass?one" | "mailto:John.Doe@example.com" | "urn:oasis:names""#),
    ]
}
