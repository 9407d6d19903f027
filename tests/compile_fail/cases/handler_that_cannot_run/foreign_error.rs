use restwright::prelude::*;

async fn read(_: ()) -> Result<Data<String>> {
    let text = std::fs::read_to_string("greeting")?;
    Ok(Data(text))
}

async fn parse(_: ()) -> Result<Data<u8>> {
    let number: u8 = "1".parse()?;
    Ok(Data(number))
}

fn main() {
    let _ = (read, parse);
}
