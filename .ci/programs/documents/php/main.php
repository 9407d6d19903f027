<?php

// Calls the animals through the client that openapi-generator generated: main.php GENERATED

require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function ($class) {
    global $argv;
    require $argv[1] . '/lib' . strtr(substr($class, strlen('Animals')), '\\', '/') . '.php';
});

function equal($found, $expected)
{
    if ($found != $expected) {
        throw new Exception(json_encode($found) . ' instead of ' . json_encode($expected));
    }
}

$configuration = Animals\Configuration::getDefaultConfiguration()->setHost(getenv('API_URL'))->setApiKey('X-Api-Key', getenv('API_KEY'));
$animals = new Animals\Api\AnimalsApi(null, $configuration);
$animal = fn($values) => new Animals\Model\NewAnimal($values);
$created = $animals->createAnimal($animal(['name' => 'Php', 'species' => 'cat', 'weight_kg' => 4.2]))->getData();
equal($animals->viewAnimal($created->getId())->getData(), $created);
$animals->createAnimal($animal(['name' => 'Phpu', 'species' => 'dog', 'weight_kg' => 12]));
$listed = $animals->listAnimals(filter_name_contains: 'Php', filter_species_in: ['cat', 'dog'], filter_weight_kg_gt: 4, order_by: ['-name'])->getData();
equal(array_map(fn($item) => $item->getName(), $listed), ['Phpu', 'Php']);
try {
    $animals->updateAnimal($created->getId(), new Animals\Model\AnimalChanges(['name' => str_repeat('a', 100)]), if_match: '"wrong"');
    throw new Exception('a wrong tag was accepted');
} catch (Animals\ApiException $error) {
    equal($error->getCode(), 412);
    equal(json_decode($error->getResponseBody())->code, 'precondition_failed');
}
