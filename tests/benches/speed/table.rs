//! Prints the figures as the Markdown tables of `docs/benchmarks.md`.

use crate::measure::{Figures, Row};

pub(crate) fn print(rows: Vec<Row>) {
    println!("| instructions per request | handwritten actix-web | restwright | ratio | in an `App` | ratio |");
    println!("|---|--:|--:|--:|--:|--:|");
    for row in &rows {
        print_row(row, |side| side.instructions.map(|count| count as f64));
    }
    print_among_routes(&rows);
    println!("\n| requests per second | handwritten actix-web | restwright | ratio | in an `App` | ratio |");
    println!("|---|--:|--:|--:|--:|--:|");
    for row in &rows {
        print_row(row, |side| Some(side.requests_per_second));
    }
}

fn print_row(row: &Row, figure: impl Fn(&Figures) -> Option<f64>) {
    let figures: Vec<Option<f64>> = row.sides.iter().map(figure).collect();
    let [by_hand, served, in_app] = figures[..] else { return };
    let ratio = |side: Option<f64>| Some(side? / by_hand?);
    let cells = [count(by_hand), count(served), two_digits(ratio(served)), count(in_app), two_digits(ratio(in_app))];
    println!("| {} | {} |", row.case.title, cells.join(" | "));
}

fn print_among_routes(rows: &[Row]) {
    let served = |name: &str| rows.iter().find(|row| row.case.name == name)?.sides.get(1)?.instructions;
    if let (Some(two), Some(thousand)) = (served("routes-2"), served("routes-1000")) {
        println!("\nrestwright, 1,000 routes over 2 routes: {:.3}", thousand as f64 / two as f64);
    }
    if let (Some(free), Some(limited)) = (served("routes-2"), served("limited")) {
        println!("\nrestwright, with a limit over without: {:.3}", limited as f64 / free as f64);
    }
}

pub(crate) fn count(figure: Option<f64>) -> String {
    let Some(figure) = figure else { return "–".to_owned() };
    let digits = format!("{figure:.0}");
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn two_digits(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"))
}
