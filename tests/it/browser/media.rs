//! A video element that seeks.

use std::error::Error;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::stream;
use restwright::files::FileResponse;
use restwright::http::HeaderValue;
use restwright::prelude::*;
use serde_json::json;

use super::{Chromium, TURN, serve};

/// The bytes of a second of sound: 44,100 samples of two channels with 16 bits.
const SECOND: u32 = 176_400;
const SECONDS: u32 = 500;

/// Returns the header of a WAV file with the samples of `SECONDS`.
fn header() -> Vec<u8> {
    let data = SECOND * SECONDS;
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    let format = [1_u16, 2].map(u16::to_le_bytes).concat();
    let sample = [4_u16, 16].map(u16::to_le_bytes).concat();
    [
        b"RIFF".to_vec(),
        numbers(&[36 + data]),
        b"WAVEfmt ".to_vec(),
        numbers(&[16]),
        format,
        numbers(&[44_100, SECOND]),
        sample,
        b"data".to_vec(),
        numbers(&[data]),
    ]
    .concat()
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn a_video_element_seeks_by_a_range() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let starts = Arc::new(Mutex::new(Vec::new()));
    let noted = starts.clone();
    let film = Route::get("/film").id("film").public().handler(async move |()| {
        let (noted, header) = (noted.clone(), header());
        let length = u64::from(SECOND) * u64::from(SECONDS) + 44;
        let read = move |range: std::ops::Range<u64>| {
            noted.lock().unwrap().push(range.start);
            stream::unfold(range, move |mut range| {
                let size = (range.end - range.start).min(65_536);
                let mut piece = vec![0; usize::try_from(size).unwrap()];
                if let Some(start) = header.get(usize::try_from(range.start).unwrap()..) {
                    piece[..start.len()].copy_from_slice(start);
                }
                range.start += size;
                let next = (size > 0).then_some((Ok::<_, Box<dyn Error>>(Bytes::from(piece)), range));
                std::future::ready(next)
            })
        };
        Ok(FileResponse::from_reader(length, read).content_type(HeaderValue::from_static("audio/wav")))
    });
    let page = Route::get("/page").id("page").public().hidden().handler(async |()| Ok(Data("page")));
    let api = Api::builder(Configuration::new("film", "1.0.0")).controller(film).controller(page).build().unwrap();
    let url = serve(api);
    let Some(mut browser) = Chromium::open(&format!("{url}/page")) else { return };
    let seen = browser.evaluate(
        r#"(async () => {
            const video = document.createElement('video');
            const event = (name) => new Promise((resolve, reject) => {
                video.addEventListener(name, resolve, { once: true });
                video.addEventListener('error', () => reject(video.error.message), { once: true });
            });
            const loaded = event('loadeddata');
            video.src = '/film';
            await loaded;
            const seeked = event('seeked');
            video.currentTime = 400;
            await seeked;
            return JSON.stringify([video.duration, video.currentTime, video.seekable.end(0)]);
        })()"#,
    );
    let seen: serde_json::Value = serde_json::from_str(seen.as_str().unwrap()).unwrap();
    assert_eq!(seen, json!([500, 400, 500]));
    let starts = starts.lock().unwrap().clone();
    let target = u64::from(SECOND) * 400;
    assert!(starts.iter().any(|start| (target - 20_000_000..=target + 44).contains(start)), "{starts:?}");
}
