use restwright::auth::JwtAuthenticator;
use restwright::serve;

fn main() {
    let _ = (JwtAuthenticator::new, serve);
}
