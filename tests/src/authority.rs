//! Certificates for servers of tests.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// A certificate authority that exists only in a test.
#[derive(Debug)]
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// Creates an authority with a separate key.
    ///
    /// # Panics
    ///
    /// Panics if there are no random numbers.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let mut parameters = CertificateParams::new([]).unwrap();
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap())
    }

    /// Returns the certificate of the authority.
    #[must_use]
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// Returns the settings of a server whose certificate is valid for a host, until the end of a year.
    ///
    /// # Panics
    ///
    /// Panics if the host is not a name of DNS or an address.
    #[must_use]
    pub fn server(&self, host: &str, year: i32) -> ServerConfig {
        let mut parameters = CertificateParams::new([host.to_owned()]).unwrap();
        parameters.not_before = date_time_ymd(2000, 1, 1);
        parameters.not_after = date_time_ymd(year, 12, 31);
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &self.0).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap()
    }
}
