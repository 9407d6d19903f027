//! Requests per second when the client is not what limits them: two connections with 32 requests in flight each.

use std::time::{Duration, Instant};

use crate::cases;
use crate::client::Client;
use crate::measure::{Server, program};
use crate::server::Side;

const CONNECTIONS: usize = 2;
const IN_FLIGHT: u32 = 32;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_millis(400);

pub(crate) fn print() {
    let by_hand = best(Side::ByHand, "token");
    let verified = best(Side::Restwright, "token");
    let remembered = best(Side::Restwright, "remembered");
    println!(
        "\n| requests per second, {CONNECTIONS} × {IN_FLIGHT} in flight | actix-web by hand | restwright | ratio | remembered | ratio |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    let ratios = (verified / by_hand, remembered / by_hand);
    println!(
        "| GET with an RS256 token | {by_hand:.0} | {verified:.0} | {:.2} | {remembered:.0} | {:.2} |",
        ratios.0, ratios.1
    );
}

fn best(side: Side, case: &str) -> f64 {
    let case = cases::named(case);
    let mut server = Server::start(program(), &["serve", side.name(), case.name]);
    let mut clients: Vec<_> = (0..CONNECTIONS).map(|_| server.connect()).collect();
    server.client.ask(case, 1);
    let round = |clients: &mut Vec<Client>| {
        let start = Instant::now();
        let responded: u32 = std::thread::scope(|scope| {
            let asking: Vec<_> = clients
                .iter_mut()
                .map(|client| {
                    scope.spawn(move || {
                        let mut responded = 0;
                        while start.elapsed() < ROUND {
                            client.ask_at_once(case, IN_FLIGHT);
                            responded += IN_FLIGHT;
                        }
                        responded
                    })
                })
                .collect();
            asking.into_iter().map(|thread| thread.join().expect("the client asks")).sum()
        });
        f64::from(responded) / start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(|_| round(&mut clients)).fold(0.0, f64::max)
}
